/* SPDX-License-Identifier: Apache-2.0 */
/* Wakes the page up: from here on the lanes are live. */
'use strict';

function listenToPointer(page) {
    const {chart, view} = page;
    let drag = null;
    chart.addEventListener('wheel', (event) => {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 30 : 1;
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            page.pan((event.deltaX || event.deltaY) * lines / view.width);
        } else {
            page.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * lines)) / 400), view.time(event.offsetX));
        }
    }, {passive: false});
    chart.addEventListener('pointerdown', (event) => {
        if (event.button === 0) {
            drag = {x: event.offsetX, from: view.from, to: view.to, moved: false};
            chart.setPointerCapture(event.pointerId);
        }
    });
    chart.addEventListener('pointermove', (event) => {
        if (drag === null) {
            page.hover(view.callAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
            return;
        }
        drag.moved = drag.moved || Math.abs(event.offsetX - drag.x) > 4;
        if (drag.moved) {
            const by = (drag.x - event.offsetX) / view.width * (drag.to - drag.from);
            chart.classList.add('dragging');
            page.hover(-1);
            view.show(drag.from + by, drag.to + by);
            page.redraw();
        }
    });
    chart.addEventListener('pointerup', (event) => {
        if (drag !== null && !drag.moved) {
            page.select(view.callAt(event.offsetX, event.offsetY));
        }
        drag = null;
        chart.classList.remove('dragging');
    });
    chart.addEventListener('pointercancel', () => {
        drag = null;
        chart.classList.remove('dragging');
    });
    chart.addEventListener('pointerleave', () => page.hover(-1));
    chart.addEventListener('dblclick', (event) => page.zoom(0.4, view.time(event.offsetX)));
}

function listenToOverview(page) {
    const {overview, view} = page;
    const move = (event) => {
        if (event.buttons & 1) {
            const at = (event.offsetX - GUTTER) / view.width * page.model.duration;
            const half = (view.to - view.from) / 2;
            view.show(at - half, at + half);
            page.redraw();
        }
    };
    overview.addEventListener('pointerdown', (event) => {
        overview.setPointerCapture(event.pointerId);
        move(event);
    });
    overview.addEventListener('pointermove', move);
}

function listenToKeys(page) {
    const lane = () => page.view.selected < 0 ? [] : page.model.lanes[page.model.calls.writer[page.view.selected]].calls;
    const plain = {
        ArrowLeft: () => page.select(page.neighbour(-1)),
        ArrowRight: () => page.select(page.neighbour(1)),
        ArrowUp: () => page.select(page.across(-1)),
        ArrowDown: () => page.select(page.across(1)),
        Home: () => lane().length > 0 && page.select(lane()[0]),
        End: () => lane().length > 0 && page.select(lane()[lane().length - 1]),
        Escape: () => page.select(-1),
        '+': () => page.zoom(0.6),
        '=': () => page.zoom(0.6),
        '-': () => page.zoom(1 / 0.6),
        '0': () => page.all()
    };
    const shifted = {ArrowLeft: () => page.pan(-0.25), ArrowRight: () => page.pan(0.25), '+': plain['+']};
    page.chart.addEventListener('keydown', (event) => {
        const action = (event.shiftKey ? shifted : plain)[event.key];
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            action();
        }
    });
    page.chart.addEventListener('focus', () => {
        if (page.view.selected < 0 && page.chart.matches(':focus-visible')) {
            page.select(page.firstInView());
        }
    });
}

function listenToControls(page) {
    const on = (id, type, action) => document.getElementById(id).addEventListener(type, action);
    on('zoom-in', 'click', () => page.zoom(0.6));
    on('zoom-out', 'click', () => page.zoom(1 / 0.6));
    on('zoom-all', 'click', () => page.all());
    on('pan-left', 'click', () => page.pan(-0.25));
    on('pan-right', 'click', () => page.pan(0.25));
    on('filter-key', 'input', () => page.filter());
    on('find-call', 'change', (event) => {
        const isNumber = /^\s*\d*\s*$/.test(event.target.value);
        event.target.setCustomValidity(isNumber ? '' : 'Calls have numbers.');
        event.target.reportValidity();
        if (isNumber && event.target.value.trim() !== '') {
            page.goTo(Number(event.target.value), false);
        }
    });
    for (const box of document.querySelectorAll('#legend input')) {
        box.addEventListener('change', () => {
            page.looks[box.checked ? 'add' : 'delete'](Number(box.value));
            page.count();
            page.redraw();
        });
    }
    window.addEventListener('hashchange', () => page.follow());
    window.addEventListener('resize', () => page.redraw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        page.view.repaint();
        page.redraw();
    });
}

/* The names in the table of keys become buttons; the table counts keys as the model does, if the model has all calls. */
function listenToKeyTable(page) {
    const table = document.getElementById('key-table');
    if (table === null || page.model.count < page.model.total) {
        return;
    }
    table.classList.add('live');
    for (const row of table.querySelectorAll('tr[data-key]')) {
        const head = row.querySelector('th');
        const button = element('button');
        button.type = 'button';
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener('click', () => page.openChain(page.model.keys[row.dataset.key - 1]));
    }
}

function offerKeys(page) {
    const list = document.getElementById('key-list');
    for (const key of page.model.keys.slice(0, 500)) {
        const option = element('option');
        option.value = page.model.strings[key];
        list.append(option);
    }
}

function wake() {
    const model = readModel(document.getElementById('data').textContent);
    if (model.count === 0) {
        return null;
    }
    document.documentElement.classList.add('live');
    for (const id of ['controls', 'stage', 'facts', 'help']) {
        document.getElementById(id).hidden = false;
    }
    const page = new Page(model);
    listenToPointer(page);
    listenToOverview(page);
    listenToKeys(page);
    listenToControls(page);
    listenToKeyTable(page);
    offerKeys(page);
    page.count();
    if (!page.follow()) {
        showFacts(page.facts, model, -1);
        page.all();
    }
    return page;
}

const page = wake();
