// SPDX-License-Identifier: Apache-2.0

// Models, and what is asked of them: what the library takes, what it refuses, and what it takes although it would find the
// wrong rows, or none.
module.exports = (db, S) => {
  const cases = []
  const add = (Cls, { taken = [], refused = [], stricter = [] }) => cases.push({ Cls, taken, refused, stricter })
  const lazy = { allowLazyFilter: true }

  class IteratorExample extends db.Model {
    static KEY = { id1: S.str, id2: S.int }
    static SORT_KEY = { sk1: S.str, sk2: S.str }
    static FIELDS = { field1: S.str, field2: S.str, field3: S.arr(S.obj({ a: S.int })).optional() }
    static INDEXES = {
      index1: { KEY: ['id1', 'id2'], SORT_KEY: ['field1'] }, index2: { KEY: ['id1', 'sk1'], SORT_KEY: ['field1', 'field2'] },
      index3: { KEY: ['field3'], SPARSE: true }, index4: { KEY: ['field1'] }
    }
  }
  const ids = [['id1', 'xyz'], ['id2', 321]]
  const operators = ['==', '>', '>=', '<', '<=', 'prefix']
  add(IteratorExample, {
    taken: [
      { where: ids },
      { where: ids, options: { descending: true } },
      { where: ids, options: { inconsistentRead: true } },
      ...operators.map(x => ({ where: [...ids, ['sk1', x, '23'], ['sk2', x, '34']] })),
      { where: [...ids, ['sk2', 'between', 'b', 'c'], ['sk1', 'between', 'a', 'a']] },
      { where: [...ids, ['sk1', 'between', 'a', 'b'], ['sk2', 'between', '', '\u{1f600}']] },
      ...operators.map(x => ({ where: [...ids, ['field1', x, '10']], options: { index: 'index1' } })),
      { where: [...ids, ['field1', 'between', '10', '9']], options: { index: 'index1', descending: true } },
      { where: [['id1', 'xyz'], ['sk1', 'abc']], options: { index: 'index2' } },
      ...operators.map(x => ({ where: [['id1', 'xyz'], ['sk1', 'abc'], ['field1', x, '10'], ['field2', x, '34']], options: { index: 'index2' } })),
      { where: [['field3', [{ a: 10 }]]], options: { index: 'index3' } },
      { where: [['field1', 'a']], options: { index: 'index4', inconsistentRead: true } },
      { where: [...ids, ['field1', '>', '23']], options: lazy },
      { where: [...ids, ['field1', '!=', '23'], ['field2', 'between', 'a', 'b'], ['field3', 'contains', { a: 1 }]], options: lazy },
      { where: [...ids, ['field1', 'contains', '2'], ['field2', '<=', ''], ['field3', '==', []]], options: lazy },
      { where: [...ids, ['field2', '>=', '23']], options: { ...lazy, index: 'index1' } },
      { scan: true }, { scan: true, options: { inconsistentRead: true } }, { scan: true, options: { index: 'index4' } },
      { scan: true, options: { shardIndex: 1, shardCount: 2, index: 'index1' } }, { scan: true, options: { shardIndex: 0, shardCount: 1 } }
    ],
    refused: [
      { where: [] }, { where: [['id1', 'xyz']] }, { where: [['id2', 321]] },
      { where: [['id1', '!=', 'xyz'], ['id2', 321]] }, { where: [['id1', '<', 'xyz'], ['id2', 321]] },
      { where: [['id1', 'prefix', 'xyz'], ['id2', 321]] }, { where: [['id1', 'between', 'a', 'b'], ['id2', 321]] },
      { where: [...ids, ['id1', 'xyz']] }, { where: [['id1', 7], ['id2', 321]] }, { where: [['id1', 'a\0b'], ['id2', 321]] },
      { where: [...ids, ['sk1', '>', '23']] }, { where: [...ids, ['sk2', '23']] }, { where: [...ids, ['sk1', '>', '23'], ['sk2', '<', '1']] },
      { where: [...ids, ['sk1', '23'], ['sk2', '<', '1']] }, { where: [...ids, ['sk1', '!=', '23'], ['sk2', '!=', '1']] },
      { where: [...ids, ['sk1', 'contains', '2'], ['sk2', 'contains', '1']] }, { where: [...ids, ['sk1', 'like', '2'], ['sk2', 'like', '1']] },
      { where: [...ids, ['sk1', 'between', 'b', 'a'], ['sk2', 'between', 'a', 'a']] },
      { where: [...ids, ['field1', '345']] }, { where: [...ids, ['field1', 'prefix', '3']], options: lazy },
      { where: [...ids, ['field2', 'between', 'b', 'a']], options: lazy }, { where: [...ids, ['nothing', '3']], options: lazy },
      { where: [...ids, ['field1', '>', '10'], ['field1', '<', '20']], options: { index: 'index1' } },
      { where: [['id1', 'xyz'], ['sk1', 'abc'], ['field1', '>', '10']], options: { index: 'index2' } },
      { where: [['id1', 'xyz'], ['sk1', 'abc'], ['id2', 1]], options: { index: 'index2' } },
      { where: [['id1', 'xyz'], ['sk1', 'abc'], ['sk2', '0']], options: { index: 'index2', ...lazy } },
      { where: ids, options: { index: 'invalidIndex' } }, { scan: true, options: { index: 'invalidIndex' } },
      { where: ids, options: { shardCount: 2, shardIndex: 0 } },
      { scan: true, options: { descending: true } }, { scan: true, options: lazy }, { scan: true, options: { shardIndex: 2, shardCount: 2 } },
      { scan: true, where: [['id1', 'xyz']] }
    ],
    stricter: [
      { where: [['sk1', '1'], ['sk2', '1']] },
      { where: [...ids, ['field1', '==', 7]], options: lazy }, { where: [...ids, ['field3', '<', [{ a: 1 }]]], options: lazy },
      { where: [['field1', 7]], options: { index: 'index4' } }, { where: [['id1', 1], ['sk1', 'abc']], options: { index: 'index2' } },
      { where: [...ids, ['field1', 'contains', 1]], options: lazy }
    ]
  })

  class Visit extends db.Model {
    static KEY = { place: S.str }
    static SORT_KEY = { day: S.int, name: S.str }
    static FIELDS = { seconds: S.double, seen: S.bool, where: S.obj().optional() }
    static INDEXES = {
      bySeconds: { KEY: ['seen'], SORT_KEY: ['seconds'] }, byDay: { KEY: ['day'], SORT_KEY: ['place'] },
      byBoth: { KEY: ['name'], SORT_KEY: ['seconds', 'seen'] }, few: { KEY: ['seconds'], INCLUDE_ONLY: ['seen'] },
      byName: { KEY: ['seen'], SORT_KEY: ['seconds', 'name'] }
    }
  }
  const place = ['place', 'p']
  add(Visit, {
    taken: [
      { where: [place, ['day', 5], ['name', 'Bo']] },
      { where: [place, ['name', 'prefix', 'B'], ['day', 'prefix', 5]] },
      { where: [place, ['day', 'between', 5, 5], ['name', 'between', 'Bo', 'Cy']] },
      { where: [['seen', true]], options: { index: 'bySeconds' } },
      ...['==', '>', '>=', '<', '<='].map(x => ({ where: [['seen', false], ['seconds', x, 0.5]], options: { index: 'bySeconds' } })),
      { where: [['seen', true], ['seconds', 'between', -9.5, 10]], options: { index: 'bySeconds' } },
      { where: [['day', 7], ['place', 'prefix', 'x']], options: { index: 'byDay' } },
      { where: [['name', 'Bo'], ['seconds', 0.5], ['seen', true]], options: { index: 'byBoth' } },
      { where: [['seen', true], ['name', 'between', 'Bo', 'Bo'], ['seconds', 'between', 5, 5]], options: { index: 'byName' } },
      { where: [['seconds', 10], ['seen', true]], options: { ...lazy, index: 'few' } },
      { where: [place, ['seconds', '>', 1.5], ['seen', '!=', true], ['where', '==', { b: 1, a: [null] }]], options: lazy }
    ],
    refused: [
      { where: [['seen', true], ['place', 'p']], options: { ...lazy, index: 'bySeconds' } }, { where: [['seen', '!=', true]], options: { index: 'bySeconds' } },
      { where: [['day', 7], ['place', 'prefix', 'x'], ['name', 'y']], options: { ...lazy, index: 'byDay' } }
    ],
    stricter: [
      { where: [place, ['day', '>', 5], ['name', '>', 'Bo']] }, { where: [place, ['day', 'between', 5, 10], ['name', 'between', 'Bo', 'Cy']] },
      { where: [['name', 'Bo'], ['seconds', '<', 0.5], ['seen', '<', true]], options: { index: 'byBoth' } },
      { where: [['name', 'Bo'], ['seconds', 'prefix', 0.5], ['seen', 'prefix', true]], options: { index: 'byBoth' } },
      { where: [['seen', true], ['seconds', 'prefix', 1]], options: { index: 'bySeconds' } },
      { where: [['seen', true], ['name', 'between', 'Bo', 'Cy'], ['seconds', 'between', 5, 5]], options: { index: 'byName' } },
      { where: [['seconds', 10], ['where', {}]], options: { ...lazy, index: 'few' } },
      { where: [place, ['seen', '<', true]], options: lazy }, { where: [place, ['seconds', 'contains', 1]], options: lazy }
    ]
  })

  class LazyFilterKeyExample extends db.Model {
    static INDEX_INCLUDE_KEYS = true
    static KEY = { id: S.str, num: S.int }
    static FIELDS = { field: S.str, other: S.int }
    static INDEXES = { index: { KEY: ['field'] }, keysOnly: { KEY: ['other'], INCLUDE_ONLY: [] } }
  }
  add(LazyFilterKeyExample, {
    taken: [
      { where: [['field', '1'], ['num', 2]], options: { ...lazy, index: 'index' } },
      { where: [['field', '1'], ['num', '>', 2], ['id', '!=', 'x']], options: { ...lazy, index: 'index' } }
    ],
    refused: [{ where: [['field', '1'], ['num', 2]], options: { index: 'index' } }, { where: [['field', '1'], ['id', 'prefix', 'x']], options: { ...lazy, index: 'index' } }],
    stricter: [{ where: [['other', 1], ['num', 2]], options: { ...lazy, index: 'keysOnly' } }]
  })

  class SortExample extends db.Model {
    static KEY = { id: S.str }
    static SORT_KEY = { sk: S.obj({ arr: S.arr(S.int) }) }
    static INDEXES = { index: { KEY: ['sk'] } }
  }
  add(SortExample, {
    taken: [
      { where: [['id', '0'], ['sk', 'between', { arr: [1] }, { arr: [1] }]] }, { where: [['id', '0'], ['sk', { arr: [1, 2] }]] },
      { where: [['sk', { arr: [] }]], options: { index: 'index' } }
    ],
    refused: [{ where: [['id', '0'], ['sk', { arr: ['1'] }]] }, { where: [['id', '0'], ['sk', 'prefix', 'x']] }]
  })

  class Order extends db.Model {
    static KEY = { id: S.str }
    static SORT_KEY = { ts: S.int }
    static FIELDS = {}
  }
  add(Order, {
    taken: [
      { where: [['id', 'o']], options: { descending: true } }, ...['==', '>', '>=', '<', '<='].map(x => ({ where: [['id', 'o'], ['ts', x, 10]] })),
      { where: [['id', 'o'], ['ts', 'between', 9, 10]] }
    ],
    refused: [{ where: [['id', 'o'], ['ts', '>', '10']] }, { where: [['id', 'o'], ['ts', '>', 1.5]] }, { where: [['id', 'o'], ['ts', 'between', 10, 9]] }],
    stricter: [{ where: [['id', 'o'], ['ts', 'prefix', 1]] }]
  })
  return cases
}
