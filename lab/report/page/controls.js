/* SPDX-License-Identifier: Apache-2.0 */
/* Wheel, drag, keys, buttons, filters and addresses: all that changes what the lanes show. */
'use strict';

class Page {
    constructor(model) {
        const find = (id) => document.getElementById(id);
        this.model = model;
        this.chart = find('chart');
        this.overview = find('overview');
        this.facts = find('facts');
        this.tip = find('tip');
        this.range = find('range');
        this.mode = find('mode');
        this.shown = find('shown');
        this.chain = find('chain');
        this.view = new LaneView(this.chart, model);
        this.looks = new Set([0, 1, 2, 3, 4, 5]);
        this.keys = null; // of the filter; null: any
        this.pending = false;
        this.view.quiet = () => this.keys !== null;
        this.view.visible = (call) => this.looks.has(model.calls.look[call]);
        this.view.bright = (call) => this.keys === null || this.keys.has(model.calls.key[call]);
    }

    /* Many causes, one drawing for each frame. */
    redraw() {
        if (!this.pending) {
            this.pending = true;
            requestAnimationFrame(() => {
                this.pending = false;
                this.view.draw();
                this.drawOverview();
                const {from, to} = this.view;
                this.range.value = `${formatInstant(from, (to - from) / 100)} – ${formatInstant(to, (to - from) / 100)}`;
                this.mode.value = this.view.dense ? 'Zoomed out: each column shows shares of the verdicts; zoom in for single calls.' : '';
                this.chart.dataset.from = from;
                this.chart.dataset.to = to;
            });
        }
    }

    zoom(factor, around) {
        const {from, to} = this.view;
        const middle = around === undefined ? (from + to) / 2 : around;
        this.view.show(middle - (middle - from) * factor, middle + (to - middle) * factor);
        this.redraw();
    }

    pan(part) {
        const step = (this.view.to - this.view.from) * part;
        this.view.show(this.view.from + step, this.view.to + step);
        this.redraw();
    }

    all() {
        this.view.show(0, this.model.duration);
        this.redraw();
    }

    /* --------------------------------------------------------------------------------------------- selection */

    hover(call, x, y) {
        if (call !== this.view.hovered) {
            this.view.hovered = call;
            showFacts(this.facts, this.model, call >= 0 ? call : this.view.selected);
            this.redraw();
        }
        this.tip.hidden = call < 0;
        if (call >= 0) {
            this.tip.textContent = tipText(this.model, call);
            const left = Math.min(Math.max(0, x + 14), this.chart.clientWidth - this.tip.offsetWidth);
            this.tip.style.left = `${left}px`;
            this.tip.style.top = `${y + 18}px`;
        }
    }

    select(call) {
        this.view.selected = call;
        showFacts(this.facts, this.model, call);
        if (call >= 0) {
            this.keepInView(call);
            this.setAddress(`#call-${this.model.calls.id[call]}`);
        }
        this.redraw();
    }

    setAddress(hash) {
        try {
            history.replaceState(null, '', hash);
        } catch (error) { // a page from a file may not be allowed to; the selection stands all the same
            this.refused = error;
        }
    }

    keepInView(call) {
        const {from, to} = this.view;
        const start = this.model.start[call];
        const end = this.model.end[call];
        if (end < from || start > to) {
            const middle = (start + end) / 2;
            this.view.show(middle - (to - from) / 2, middle + (to - from) / 2);
        }
    }

    /* Goes to the call of an address or a search, so near that it and its neighbours can be told apart. Numbers may have
     * gaps, and a page may carry the first calls only: then to the nearest, and that is said. */
    goTo(id, scroll) {
        const call = nearestCall(this.model, id);
        if (call < 0) {
            return;
        }
        const length = Math.max(this.model.end[call] - this.model.start[call], 1000);
        const middle = (this.model.start[call] + this.model.end[call]) / 2;
        this.looks.add(this.model.calls.look[call]);
        this.showChecks();
        this.view.show(middle - 8 * length, middle + 8 * length);
        this.select(call);
        if (this.model.calls.id[call] !== id) {
            this.facts.prepend(element('p', `There is no call ${id} here; the nearest is shown.`, 'quiet'));
        }
        if (scroll) {
            document.getElementById('lanes').scrollIntoView();
        }
    }

    /* False: the address names no call. */
    follow() {
        const match = /^#call-(\d+)$/.exec(location.hash);
        if (match !== null) {
            this.goTo(Number(match[1]), true);
        }
        return match !== null;
    }

    /* The next call of the lane that is shown; `step` is 1 or -1. */
    neighbour(step) {
        const {selected} = this.view;
        if (selected < 0) {
            return this.firstInView();
        }
        const {calls} = this.model.lanes[this.model.calls.writer[selected]];
        let index = calls.indexOf(selected) + step;
        while (index >= 0 && index < calls.length && !(this.view.visible(calls[index]) && this.view.bright(calls[index]))) {
            index += step;
        }
        return index >= 0 && index < calls.length ? calls[index] : selected;
    }

    /* The call of the next lane that is nearest in time. */
    across(step) {
        const {selected} = this.view;
        if (selected < 0) {
            return this.firstInView();
        }
        const wanted = this.model.start[selected];
        for (let lane = this.model.calls.writer[selected] + step; lane >= 0 && lane < this.model.lanes.length; lane += step) {
            let best = -1;
            for (const call of this.model.lanes[lane].calls) {
                if (this.view.visible(call) && this.view.bright(call) &&
                    (best < 0 || Math.abs(this.model.start[call] - wanted) < Math.abs(this.model.start[best] - wanted))) {
                    best = call;
                }
            }
            if (best >= 0) {
                return best;
            }
        }
        return selected;
    }

    firstInView() {
        for (const {calls} of this.model.lanes) {
            for (const call of calls) {
                if (this.model.end[call] >= this.view.from && this.model.start[call] <= this.view.to &&
                    this.view.visible(call) && this.view.bright(call)) {
                    return call;
                }
            }
        }
        return -1;
    }

    /* ----------------------------------------------------------------------------------------------- filters */

    filter() {
        const text = document.getElementById('filter-key').value;
        const {model} = this;
        const matching = model.keys.filter((key) => model.strings[key].includes(text));
        const exact = matching.find((key) => model.strings[key] === text);
        this.keys = text === '' ? null : new Set(exact === undefined ? matching : [exact]);
        if (this.keys !== null && this.keys.size === 1) {
            this.openChain([...this.keys][0]);
        }
        this.count();
        this.redraw();
    }

    openChain(key) {
        showChain(this.chain, this.model, key);
        for (const row of document.querySelectorAll('#key-table tr[data-key]')) {
            row.setAttribute('aria-selected', String(this.model.keys[row.dataset.key - 1] === key));
        }
    }

    count() {
        let shown = 0;
        for (let call = 0; call < this.model.count; call++) {
            shown += this.view.visible(call) && this.view.bright(call) ? 1 : 0;
        }
        const all = shown === this.model.total ? '' : ` of ${formatCount(this.model.total)}`;
        const cut = this.model.count < this.model.total ? `; the page carries the first ${formatCount(this.model.count)}` : '';
        this.shown.value = `${formatCount(shown)}${all} calls${cut}`;
        this.shown.dataset.shown = shown;
    }

    showChecks() {
        for (const box of document.querySelectorAll('#legend input')) {
            box.checked = this.looks.has(Number(box.value));
        }
        this.count();
    }

    /* ---------------------------------------------------------------------------------------------- overview */

    drawOverview() {
        const {context, width, height} = fitCanvas(this.overview, 36);
        const {paint} = this.view;
        const columns = Math.max(1, Math.floor((width - GUTTER) / 2));
        const filled = this.densities(columns);
        const highest = filled.calls.reduce((a, b) => Math.max(a, b), 1);
        context.fillStyle = paint.panel;
        context.fillRect(GUTTER, 0, width - GUTTER, height);
        for (let column = 0; column < columns; column++) {
            const bar = filled.calls[column] / highest * (height - 8);
            context.fillStyle = paint.soft;
            context.fillRect(GUTTER + column * 2, height - bar, 1.4, bar);
            [paint.unknown, paint.killed, paint.finding].forEach((colour, row) => {
                if (filled.rare[column] & (1 << row)) {
                    context.fillStyle = colour;
                    context.fillRect(GUTTER + column * 2, row * 4, 2, 4);
                }
            });
        }
        const scale = (width - GUTTER) / this.model.duration;
        context.strokeStyle = paint.accent;
        context.lineWidth = 2;
        context.strokeRect(GUTTER + this.view.from * scale + 1, 1,
            Math.max(4, (this.view.to - this.view.from) * scale - 2), height - 2);
    }

    /* How many calls begin in each column, and the sum of what is rare there: an unknown (1), a killed call (2), a finding
     * (4). Kept: a filter changes none. */
    densities(columns) {
        if (!this.density || this.density.calls.length !== columns) {
            this.density = {calls: new Uint32Array(columns), rare: new Uint8Array(columns)};
            for (let call = 0; call < this.model.count; call++) {
                const column = Math.min(columns - 1, Math.floor(this.model.start[call] / this.model.duration * columns));
                const look = this.model.calls.look[call];
                this.density.calls[column]++;
                this.density.rare[column] |= (look === UNKNOWN ? 1 : 0) | (look === KILLED ? 2 : 0) |
                    (this.model.wrong.has(call) ? 4 : 0);
            }
        }
        return this.density;
    }
}
