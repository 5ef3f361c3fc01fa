"use strict";
// Draws the worker lanes on a canvas. In every column of pixels, each state has the share of colour that it has of the
// column's time. So a state shorter than a pixel is never lost, and the cost does not grow with invisible detail.
const lanesPicture = (function () {
  // The same margins as in the other charts, so that their time axes align.
  const LEFT = 62, RIGHT = 14, TOP = 4, BOTTOM = 44;
  const LANE = 16, ROOMY = 26, ENOUGH = 130; // px of a lane if there are many or few, and a sufficient height
  const STATES = ["running", "ready", "blocked"];
  const THICKNESS = [0.7, 0.5, 0.22]; // shares of a lane: colour alone is not enough
  const LEAST_SEEN = 0.7; // opacity of a state much shorter than a pixel
  const layer = document.createElement("canvas");
  const FRAME = 0.92, TICK = 0.84; // shares of a lane
  const TITLE = "worker thread";
  const CLEAR_PIXELS = 5; // items closer together get no tick at their beginning
  const TICK_PIXELS = 80; // the least distance of labels on the time axis

  // The positions of all parts, in pixels of the page.
  function frame(lanes, width) {
    const lane = Math.max(LANE, Math.min(ROOMY, ENOUGH / lanes));
    const plot = Math.max(width - LEFT - RIGHT, 50);
    return { left: LEFT, top: TOP, width: plot, lane, height: lane * lanes, all: width, below: TOP + lane * lanes + BOTTOM };
  }

  function ticks(from, to, pixels) {
    const least = ((to - from) / pixels) * TICK_PIXELS;
    const ten = Math.pow(10, Math.floor(Math.log10(least)));
    const step = [1, 2, 5, 10].map((f) => f * ten).find((s) => s >= least);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) found.push([n * step, String(+(n * step).toFixed(digits))]);
    return found;
  }

  // The time of each state in each column of device pixels, as a share of the column.
  function spread(data, lane, from, to, columns, share) {
    share.forEach((of) => of.fill(0));
    const scale = columns / (to - from);
    for (let i = data.from(lane, from); i < data.first[lane + 1] && data.start[i] < to; i++) {
      const of = share[data.state[i]];
      const a = Math.max((data.start[i] - from) * scale, 0), b = Math.min((data.end[i] - from) * scale, columns);
      const first = Math.floor(a), last = Math.min(Math.floor(b), columns - 1);
      if (first >= last) { of[last] += b - a || 1e-9; continue; }
      of[first] += first + 1 - a;
      for (let c = first + 1; c < last; c++) of[c] = 1;
      of[last] += b - last;
    }
  }

  // Red, green and blue of a colour in the form of the style sheet: #rrggbb.
  const bytes = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

  // One row of pixels that shows these states, each by its share of the column.
  function row(share, states, total, colours, into) {
    for (let c = 0; c < total.length; c++) {
      let part = 0, red = 0, green = 0, blue = 0;
      for (const s of states) {
        const of = share[s][c];
        part += of;
        red += of * colours[s][0];
        green += of * colours[s][1];
        blue += of * colours[s][2];
      }
      if (part === 0) { into[4 * c + 3] = 0; continue; }
      into[4 * c] = red / part;
      into[4 * c + 1] = green / part;
      into[4 * c + 2] = blue / part;
      // A short and isolated state is pale, but visible.
      into[4 * c + 3] = 255 * Math.min(part * Math.max(1, LEAST_SEEN / total[c]), 1);
    }
  }

  // The lines of all lanes. They lie inside each other, so a row of pixels shows the states that are at least this
  // thick.
  function lines(data, at, from, to, ratio, colours) {
    const columns = Math.round(at.width * ratio), tall = Math.round(at.height * ratio);
    if (layer.width !== columns || layer.height !== tall) { layer.width = columns; layer.height = tall; }
    const picture = new ImageData(columns, tall), share = STATES.map(() => new Float32Array(columns));
    const total = new Float32Array(columns), rgb = STATES.map((name) => bytes(colours[name]));
    // All even, so that they have a common middle.
    const thick = THICKNESS.map((part) => 2 * Math.max(1, Math.round((at.lane * part * ratio) / 2)));
    const bands = STATES.map(() => new Uint8ClampedArray(4 * columns));
    for (let lane = 0; lane + 1 < data.first.length; lane++) {
      spread(data, lane, from, to, columns, share);
      for (let c = 0; c < columns; c++) total[c] = share[0][c] + share[1][c] + share[2][c];
      bands.forEach((band, s) => row(share, [0, 1, 2].slice(0, s + 1), total, rgb, band));
      const middle = Math.round(at.lane * (lane + 0.5) * ratio);
      for (let y = middle - thick[0] / 2; y < middle + thick[0] / 2; y++) {
        const away = Math.max(middle - y, y - middle + 1) * 2;
        picture.data.set(bands[away <= thick[2] ? 2 : away <= thick[1] ? 1 : 0], 4 * y * columns);
      }
    }
    layer.getContext("2d").putImageData(picture, 0, 0);
    return layer;
  }

  // A tick at the beginning of an item, if both neighbours are far enough away to be distinguished.
  function begins(context, data, at, from, to, ratio, colours) {
    const scale = (at.width * ratio) / (to - from), clear = CLEAR_PIXELS * ratio, left = Math.round(at.left * ratio);
    const wide = Math.max(1, Math.round(ratio)), tall = Math.round(at.lane * TICK * ratio);
    context.fillStyle = colours.ink;
    for (let lane = 0; lane + 1 < data.first.length; lane++) {
      const top = Math.round((at.top + at.lane * (lane + 0.5)) * ratio - tall / 2);
      let before = -Infinity, last = -Infinity;
      for (let i = data.from(lane, from), end = data.first[lane + 1]; ; i++) {
        const is = i < end && data.start[i] < to;
        if (is && i > data.first[lane] && data.item[i] === data.item[i - 1]) continue;
        const x = is ? (data.start[i] - from) * scale : Infinity;
        if (last >= 0 && last - before >= clear && x - last >= clear) context.fillRect(left + Math.round(last), top, wide, tall);
        if (!is) break;
        before = last;
        last = x;
      }
    }
  }

  // `data`: see lanes.js. `chosen`: stretches {lane, from, to} of the chosen item.
  function draw(canvas, data, at, [from, to], ratio, colours, chosen) {
    const wide = Math.round(at.all * ratio), tall = Math.round(at.below * ratio);
    if (canvas.width !== wide || canvas.height !== tall) { canvas.width = wide; canvas.height = tall; }
    canvas.style.width = at.all + "px";
    canvas.style.height = at.below + "px";
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, wide, tall);
    const line = Math.max(1, Math.round(ratio)), x = (s) => at.left + ((s - from) / (to - from)) * at.width;
    const bottom = at.top + at.height;

    context.fillStyle = colours.grid;
    const marks = ticks(from, to, at.width);
    for (const [s] of marks) context.fillRect(Math.round(x(s) * ratio), at.top * ratio, line, at.height * ratio);
    // Every other lane is shaded, so that the eye finds its way back to the thread's number.
    context.fillStyle = colours.band;
    for (let lane = 1; lane + 1 < data.first.length; lane += 2) {
      context.fillRect(at.left * ratio, Math.round((at.top + at.lane * lane) * ratio), at.width * ratio, Math.round(at.lane * ratio));
    }
    context.drawImage(lines(data, at, from, to, ratio, colours), Math.round(at.left * ratio), Math.round(at.top * ratio));
    if (data.exact) begins(context, data, at, from, to, ratio, colours);

    context.fillStyle = colours.line;
    context.fillRect(at.left * ratio, bottom * ratio, at.width * ratio, line);
    context.scale(ratio, ratio);
    context.fillStyle = colours.muted;
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.font = "10px " + colours.font;
    data.names.forEach((name, lane) => context.fillText(name, at.left - 6, at.top + at.lane * (lane + 0.5)));
    context.textBaseline = "top";
    context.textAlign = "center";
    context.font = "12px " + colours.font;
    for (const [s, label] of marks) context.fillText(label, Math.min(x(s), at.all - context.measureText(label).width / 2), bottom + 7);
    context.fillText("seconds since the capture began", at.left + at.width / 2, bottom + 26);

    context.save();
    context.translate(1, at.top + at.height / 2);
    context.rotate(-Math.PI / 2);
    if (context.measureText(TITLE).width <= at.height) context.fillText(TITLE, 0, 0);
    context.restore();

    context.strokeStyle = colours.link;
    context.lineWidth = 2;
    for (const { lane, from: begun, to: ended } of chosen) {
      const a = Math.max(x(begun), at.left - 2), b = Math.min(x(ended), at.left + at.width + 2);
      if (b < a) continue;
      const high = at.lane * FRAME;
      context.strokeRect(Math.min(a, b - 3), at.top + at.lane * (lane + 0.5) - high / 2, Math.max(b - a, 3), high);
    }
  }

  return { frame, draw, STATES };
})();
