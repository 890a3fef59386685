// Questions are ticked by keys, or dragged to the topic that they belong to; without this script by their boxes.
"use strict";

const bench = document.getElementById("bench");
const boxes = row => [...row.querySelectorAll("input[name=question]:not(:disabled)")];

// Ticks the box of a row that leads to a column, and none of its others; its own column: no tick at all.
function send(row, column) {
  const own = boxes(row);
  if (!own.length) return;
  for (const box of own) box.checked = box.dataset.to === column;
  own[0].dispatchEvent(new Event("change", {bubbles: true}));
}

// Of several boxes of a row, one is ticked.
bench?.addEventListener("change", ({target}) => {
  const row = target.name === "question" && target.checked && target.closest("[data-row]");
  if (row) for (const box of boxes(row)) if (box !== target) box.checked = false;
});

document.addEventListener("keydown", event => {
  if (!bench || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const row = event.target.closest?.("[data-row]"), columns = [...bench.querySelectorAll("[data-column]")];
  const rows = [...bench.querySelectorAll("[data-row]")].filter(each => boxes(each).length && shown(each));
  const step = {j: 1, k: -1}[event.key], side = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (step) {
    const next = rows[row ? rows.indexOf(row) + step : 0];
    if (next) { boxes(next)[0].focus(); event.preventDefault(); }
  } else if (row && event.key === "x") {
    boxes(row)[0].click();
    event.preventDefault();
  } else if (row && side && columns.length > 1) {
    const own = columns.indexOf(row.closest("[data-column]"));
    const ticked = boxes(row).find(box => box.checked);
    const from = ticked ? columns.findIndex(each => each.dataset.column === ticked.dataset.to) : own;
    const to = columns[from + side];
    if (to) send(row, to.dataset.column);
    event.preventDefault();
  }
});

let dragged = null;
for (const row of bench ? bench.querySelectorAll("[data-row]") : []) {
  if (!boxes(row).some(box => box.dataset.to)) continue;
  row.draggable = true;
  row.addEventListener("dragstart", event => {
    dragged = row;
    event.dataTransfer.setData("text/plain", row.textContent.trim());
    event.dataTransfer.effectAllowed = "move";
  });
  row.addEventListener("dragend", () => { dragged = null; });
}
for (const column of bench ? bench.querySelectorAll("[data-column]") : []) {
  column.addEventListener("dragover", event => {
    if (dragged) { event.preventDefault(); column.classList.add("over"); }
  });
  column.addEventListener("dragleave", () => column.classList.remove("over"));
  column.addEventListener("drop", event => {
    event.preventDefault();
    column.classList.remove("over");
    if (dragged) send(dragged, column.dataset.column);
  });
}
