/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the lanes of a range of time. What is narrower than a pixel is drawn once for each pixel, lane and look, so that
 * the work has a bound that does not depend on the number of calls.
 */
'use strict';

const GUTTER = 44, AXIS = 26;
const SHAPES = [ // by look: from the lane's top and height, in parts of the lane
    {top: 0.46, height: 0.08}, {top: 0.12, height: 0.76}, {top: 0.42, height: 0.46},
    {top: 0.68, height: 0.20}, {top: 0.12, height: 0.76}, {top: 0.12, height: 0.76}
];

/* The page's colours as the style sheet has them now, and the two fills that are no plain colour. */
function readPaint(context) {
    const style = getComputedStyle(document.documentElement);
    const paint = {};
    for (const name of ['paper', 'ink', 'soft', 'line', 'rule', 'accent', 'committed', 'conflict', 'not-executed', 'unknown',
        'killed', 'read', 'kill', 'takeover', 'fault', 'finding', 'panel']) {
        paint[name] = style.getPropertyValue(`--${name}`).trim();
    }
    paint.hatch = tile(context, paint.conflict, (to) => {
        to.lineWidth = 2;
        to.beginPath();
        for (const x of [-6, 0, 6]) {
            to.moveTo(x, 6);
            to.lineTo(x + 6, 0);
        }
        to.stroke();
    });
    paint.dots = tile(context, paint.unknown, (to) => {
        to.fillRect(0, 0, 3, 3);
        to.fillRect(3, 3, 3, 3);
    });
    paint.look = [paint.read, paint.committed, paint.conflict, paint['not-executed'], paint.unknown, paint.killed];
    return paint;
}

function tile(context, colour, draw) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 6;
    const to = canvas.getContext('2d');
    to.fillStyle = to.strokeStyle = colour;
    draw(to);
    return context.createPattern(canvas, 'repeat');
}

function laneHeight(writers) {
    return Math.max(12, Math.min(34, Math.floor(440 / writers)));
}

/* Sets a canvas up for `height` pixels of the page; the drawing units are those pixels. */
function fitCanvas(canvas, height) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || canvas.parentElement.clientWidth;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    return {context, width, height};
}

function niceStep(span, most) {
    const rough = span / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const seconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].map((s) => s * 1e6);
    if (rough > 5e6) {
        return seconds.find((s) => s >= rough) || Math.ceil(rough / 3600e6) * 3600e6;
    }
    return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
}

class LaneView {
    constructor(canvas, model) {
        this.canvas = canvas;
        this.model = model;
        this.lane = laneHeight(Math.max(1, model.lanes.length));
        this.from = 0;
        this.to = model.duration;
        this.quiet = () => false; // what happened to the writers stands back
        this.visible = () => true; // is the call to be drawn at all
        this.bright = () => true; // or only faintly
        this.selected = -1;
        this.hovered = -1;
        this.measure();
        this.repaint();
    }

    repaint() {
        this.paint = readPaint(this.canvas.getContext('2d'));
    }

    /* Kept, since asking the canvas for it lays the page out: once for each drawing, not for each call. */
    get width() {
        return this.pixels;
    }

    measure() {
        this.pixels = Math.max(1, this.canvas.clientWidth - GUTTER);
    }

    x(us) {
        return GUTTER + (us - this.from) / (this.to - this.from) * this.width;
    }

    time(x) {
        return this.from + (x - GUTTER) / this.width * (this.to - this.from);
    }

    /* Shows a range, as near to what is asked for as the run and the exactness of the clock allow. */
    show(from, to) {
        const span = Math.min(Math.max(to - from, 40), this.model.duration);
        const middle = (from + to) / 2;
        this.from = Math.min(Math.max(middle - span / 2, 0), this.model.duration - span);
        this.to = this.from + span;
    }

    draw() {
        const height = this.model.lanes.length * this.lane + AXIS;
        const {context, width} = fitCanvas(this.canvas, height);
        this.measure();
        context.fillStyle = this.paint.paper;
        context.fillRect(0, 0, width, height);
        this.dense = false;
        this.drawAxis(context, width, height);
        context.save();
        context.beginPath();
        context.rect(GUTTER, 0, width - GUTTER, height);
        context.clip();
        for (let lane = 0; lane < this.model.lanes.length; lane++) {
            this.drawLane(context, lane);
        }
        this.drawOutlines(context);
        context.restore();
    }

    drawAxis(context, width, height) {
        const step = niceStep(this.to - this.from, Math.max(2, this.width / 110));
        const bottom = height - AXIS;
        context.textBaseline = 'middle';
        for (let lane = 0; lane < this.model.lanes.length; lane++) {
            context.fillStyle = this.paint.rule;
            context.fillRect(GUTTER, (lane + 1) * this.lane - 1, width - GUTTER, 1);
            context.fillStyle = this.paint.soft;
            context.textAlign = 'right';
            context.fillText(String(lane), GUTTER - 10, (lane + 0.5) * this.lane);
        }
        for (let us = Math.ceil(this.from / step) * step; us <= this.to; us += step) {
            const x = this.x(us);
            context.fillStyle = this.paint.rule;
            context.fillRect(Math.round(x), 0, 1, bottom + 5);
            context.fillStyle = this.paint.soft;
            context.textAlign = x < GUTTER + 20 ? 'left' : x > width - 24 ? 'right' : 'center';
            context.fillText(formatInstant(us, step), x, bottom + 16);
        }
    }

    drawLane(context, number) {
        const lane = this.model.lanes[number];
        const top = number * this.lane;
        const first = lowerBound(lane.calls.length, this.from, (index) => lane.reach[index]);
        const last = lowerBound(lane.calls.length, this.to, (index) => this.model.start[lane.calls[index]]);
        if (isDense(this, last - first)) {
            const wanted = lane.calls.slice(first, last).filter((call) => this.visible(call) && this.bright(call));
            if (isDense(this, wanted.length)) {
                this.dense = true;
                drawDensity(this, context, lane.calls, first, last, top);
                drawTicks(this, context, this.model.laneEvents[number], top);
            } else { // a filter left few enough to be told apart
                this.drawCalls(context, number, wanted, 0, wanted.length, top);
            }
            return;
        }
        this.drawCalls(context, number, lane.calls, first, last, top);
    }

    drawCalls(context, number, calls, first, last, top) {
        for (let look = 0; look < SHAPES.length; look++) {
            this.drawLook(context, calls, first, last, look, top);
        }
        this.drawTakeovers(context, calls, first, last, top);
        if (this.quiet() || this.isCrowded(number)) {
            drawTicks(this, context, this.model.laneEvents[number], top);
            return;
        }
        this.drawPauses(context, number, top);
        this.drawMarks(context, number, top);
    }

    isCrowded(number) {
        const events = this.model.laneEvents[number];
        const at = (us) => lowerBound(events.length, us, (index) => events[index].start);
        return at(this.to) - at(this.from) > this.width / 14;
    }

    drawLook(context, calls, first, last, look, top) {
        const y = top + Math.round(SHAPES[look].top * this.lane);
        const height = Math.max(2, Math.round(SHAPES[look].height * this.lane));
        let dimTo = -1; // the pixel that has been drawn already, faintly or in full
        let fullTo = -1;
        for (let index = first; index < last; index++) {
            const call = calls[index];
            if (this.model.calls.look[call] !== look || !this.visible(call)) {
                continue;
            }
            const bright = this.bright(call);
            const x = this.x(this.model.start[call]);
            const end = this.x(this.model.end[call]);
            if (end < GUTTER && this.model.calls.settledAt[call] === 0) {
                continue;
            }
            const pixel = Math.floor(end);
            if (pixel <= (bright ? fullTo : dimTo) && end - x < 1) {
                continue;
            }
            if (bright) {
                fullTo = pixel;
            } else {
                dimTo = pixel;
            }
            context.globalAlpha = bright ? 1 : 0.13;
            const left = Math.max(x, GUTTER - 4);
            this.drawBar(context, look, left, y, Math.max(1, Math.min(end, GUTTER + this.width + 4) - left), height);
            this.drawSettling(context, call, end, top);
        }
        context.globalAlpha = 1;
    }

    drawBar(context, look, x, y, width, height) {
        const wide = width > 3 ? width - 1 : width;
        context.fillStyle = this.paint.look[look];
        if (wide < 5 || look === COMMITTED || look === NOT_EXECUTED || look === READ) {
            if (look === KILLED && wide < 5) {
                for (let at = y; at < y + height; at += 5) { // dashed, too
                    context.fillRect(x, at, wide, Math.min(3, y + height - at));
                }
                return;
            }
            context.fillRect(x, y, wide, height);
            return;
        }
        context.fillStyle = look === CONFLICT ? this.paint.hatch : look === UNKNOWN ? this.paint.dots : this.paint.paper;
        context.fillRect(x, y, wide, height);
        context.strokeStyle = this.paint.look[look];
        context.lineWidth = 1;
        if (look === KILLED) {
            this.drawOpenEnded(context, x, y, width, height);
        } else {
            context.strokeRect(x + 0.5, y + 0.5, wide - 1, height - 1);
        }
    }

    /* Dashed, and without an end: a call that was killed in flight never returned. */
    drawOpenEnded(context, x, y, width, height) {
        context.setLineDash([4, 3]);
        context.beginPath();
        context.moveTo(x + width, y + 0.5);
        context.lineTo(x + 0.5, y + 0.5);
        context.lineTo(x + 0.5, y + height - 0.5);
        context.lineTo(x + width, y + height - 0.5);
        context.stroke();
        context.setLineDash([]);
    }

    /* From the return as unknown to the answer of os_resolve: a thin line that ends in the look of what it was. */
    drawSettling(context, call, end, top) {
        const {settledAt, settled} = this.model.calls;
        if (settledAt[call] === 0) {
            return;
        }
        const x = this.x(settledAt[call]);
        const y = top + Math.round(this.lane / 2);
        context.fillStyle = this.paint.look[this.model.calls.look[call]];
        context.fillRect(end, y - 1, Math.max(1, x - end), 2);
        const shape = SHAPES[settled[call]];
        context.fillStyle = this.paint.look[settled[call]];
        context.fillRect(x - 2, top + Math.round(shape.top * this.lane), 3, Math.round(shape.height * this.lane));
    }

    drawPauses(context, number, top) {
        const y = top + Math.round(0.26 * this.lane) + 0.5;
        const height = Math.round(0.46 * this.lane);
        context.fillStyle = this.paint.paper;
        context.strokeStyle = this.paint.ink;
        context.lineWidth = 1;
        for (const event of this.model.laneEvents[number]) {
            if (event.kind === PAUSE && event.end >= this.from && event.start <= this.to) {
                const x = Math.round(this.x(event.start)) + 0.5;
                const width = Math.max(1, Math.round(this.x(event.end) - x));
                context.globalAlpha = 0.78;
                context.fillRect(x, y, width, height);
                context.globalAlpha = 1;
                context.strokeRect(x, y, width, height);
            }
        }
    }

    drawTakeovers(context, calls, first, last, top) {
        const middle = top + this.lane / 2;
        const size = Math.min(6, this.lane / 3);
        let taken = -9;
        context.fillStyle = this.paint.takeover;
        context.strokeStyle = this.paint.paper;
        context.lineWidth = 1;
        for (let index = first; index < last; index++) {
            const x = this.x(this.model.end[calls[index]]);
            if (this.model.calls.tookOver[calls[index]] && x - taken >= 3 && this.visible(calls[index])) {
                taken = x;
                context.globalAlpha = this.bright(calls[index]) ? 1 : 0.2;
                diamond(context, x, middle, size);
            }
        }
        context.globalAlpha = 1;
    }

    drawMarks(context, number, top) {
        const middle = top + this.lane / 2;
        const size = Math.min(6, this.lane / 3);
        let taken = -9;
        for (const event of this.model.laneEvents[number]) {
            if (event.start < this.from || event.start > this.to || event.kind === PAUSE || event.kind === START) {
                continue;
            }
            const x = this.x(event.start);
            if (event.kind === KILL) {
                cross(context, x, middle, size, this.paint.kill, this.paint.paper);
            } else if (x - taken >= 2) {
                taken = x;
                triangle(context, x, top, Math.max(3, size - 1), this.paint.fault);
            }
        }
    }

    drawOutlines(context) {
        for (const call of this.model.wrong.keys()) {
            this.outline(context, call, this.paint.finding, 2);
        }
        if (this.hovered >= 0) {
            this.outline(context, this.hovered, this.paint.ink, 1);
        }
        if (this.selected >= 0) {
            this.outline(context, this.selected, this.paint.accent, 3);
        }
    }

    outline(context, call, colour, width) {
        const x = this.x(this.model.start[call]);
        const end = Math.max(this.x(this.model.end[call]), x + 2);
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.strokeRect(x - 2, this.model.calls.writer[call] * this.lane + 1, end - x + 3, this.lane - 3);
    }

    /* The call at a place of the canvas, or the nearest one within a few pixels; -1: none. */
    callAt(x, y) {
        const number = Math.floor(y / this.lane);
        if (number < 0 || number >= this.model.lanes.length || x < GUTTER - 3) {
            return -1;
        }
        const lane = this.model.lanes[number];
        const reach = this.time(x + 4);
        let best = -1;
        let distance = 5;
        const last = lowerBound(lane.calls.length, reach, (index) => this.model.start[lane.calls[index]]);
        for (let index = last - 1; index >= 0 && index >= last - 200; index--) {
            const call = lane.calls[index];
            const left = this.x(this.model.start[call]);
            const right = Math.max(this.x(this.model.end[call]), left + 1);
            const away = x < left ? left - x : x > right ? x - right : 0;
            if (away < distance && this.visible(call)) {
                best = call;
                distance = away;
            }
        }
        return best;
    }
}

function diamond(context, x, y, size) {
    context.beginPath();
    context.moveTo(x, y - size - 1);
    context.lineTo(x + size - 1, y);
    context.lineTo(x, y + size + 1);
    context.lineTo(x - size + 1, y);
    context.closePath();
    context.fill();
    context.stroke();
}

function cross(context, x, y, size, colour, halo) {
    for (const [stroke, width] of [[halo, 5], [colour, 2]]) {
        context.strokeStyle = stroke;
        context.lineWidth = width;
        context.beginPath();
        context.moveTo(x - size, y - size);
        context.lineTo(x + size, y + size);
        context.moveTo(x + size, y - size);
        context.lineTo(x - size, y + size);
        context.stroke();
    }
}

function triangle(context, x, top, size, colour) {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(x, top + size + 1);
    context.lineTo(x + size - 1, top);
    context.lineTo(x - size + 1, top);
    context.closePath();
    context.fill();
}
