"""How much smaller sigma is where thresholds are converted beside Gaussian noise, not by zCDP."""

from math import sqrt

from sdv_prefair.privacy import gaussian_rho_of, rho_of

if __name__ == '__main__':
    for delta in (1e-9, 1e-5):
        for epsilon in (0.1, 1.0, 10.0):
            left = delta / 2
            ratio = sqrt(float(rho_of(epsilon, left)) / float(gaussian_rho_of(epsilon, left)))
            print(f'epsilon {epsilon:g}, delta {delta:g}: sigma is {1 - ratio:.1%} smaller')
