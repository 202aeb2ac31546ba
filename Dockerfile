# The command line in a container: docker build -t sdv-prefair . and then, beside people.csv,
# docker run --rm --network none -v "$PWD:/data" sdv-prefair domain people.csv --out metadata.json
FROM python:3.11-slim AS build
# SDV requires torch, and the build of torch on PyPI brings gigabytes of CUDA. To do without, name an
# index with its CPU builds: docker build --build-arg PIP_EXTRA_INDEX_URL=... -t sdv-prefair .
ARG PIP_EXTRA_INDEX_URL
WORKDIR /source
COPY pyproject.toml setup.py README.md LICENSE MANIFEST.in constraints.txt ./
COPY sdv_prefair sdv_prefair
RUN python -m venv /opt/sdv-prefair \
 && /opt/sdv-prefair/bin/pip install --no-cache-dir -c constraints.txt .

FROM python:3.11-slim
COPY --from=build /opt/sdv-prefair /opt/sdv-prefair
# Private rows are read in here: no root, and nothing but /data to write to.
RUN useradd --create-home somebody && mkdir /data && chown somebody /data
USER somebody
WORKDIR /data
ENV PATH=/opt/sdv-prefair/bin:$PATH
ENTRYPOINT ["sdv-prefair"]
CMD ["--help"]
