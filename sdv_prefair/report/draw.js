'use strict';
(function () {
  for (const box of document.querySelectorAll('.plot')) {
    const drawing = JSON.parse(box.nextElementSibling.textContent);
    Plotly.newPlot(box, drawing.data, drawing.layout, {
      displayModeBar: false,
      responsive: true,
      scrollZoom: false,
    });
  }
  // What is folded on the screen belongs on paper.
  window.addEventListener('beforeprint', function () {
    for (const folded of document.querySelectorAll('details')) {
      folded.open = true;
    }
  });
})();
