// SPDX-License-Identifier: Apache-2.0

// Models, rows that are created, rows that are refused, and items that others may have left, which are read.
module.exports = (db, S) => {
  const id = '2b6d1f0c-8a3e-4c52-9d77-0a1b2c3d4e5f'
  const cases = []
  const add = (Cls, { rows = [], refused = [], reads = [] } = {}) => cases.push({ Cls, rows, refused, reads })

  class Order extends db.Model {
    static FIELDS = { product: S.str, quantity: S.int }
  }
  add(Order, {
    rows: [{ id, product: 'coffee', quantity: 1 }, { id: id.toUpperCase(), product: '', quantity: -9007199254740991 }],
    refused: [
      { id, product: 'coffee' }, { id, product: 'coffee', quantity: '1' }, { id, product: 1, quantity: 1 },
      { id, product: 'coffee', quantity: 1.5 }, { id, product: 'coffee', quantity: true }, { id, product: null, quantity: 1 },
      { id: 'bad', product: 'coffee', quantity: 1 }, { product: 'coffee', quantity: 1 },
      { id, product: 'coffee', quantity: 9007199254740992 }
    ],
    reads: [
      { _id: id, product: 'tea', quantity: 2, other: 'passed over' }, { _id: id, product: 'tea' }, { _id: id, product: 3, quantity: 2 },
      { _id: id, product: null, quantity: 2 }, { _id: 'bad', product: 'tea', quantity: 2 }
    ]
  })

  class RaceResult extends db.Model {
    static KEY = { runnerName: S.str, raceID: S.int }
    static FIELDS = { place: S.int.min(1).optional() }
  }
  add(RaceResult, {
    rows: [{ raceID: 99, runnerName: 'Bo' }, { raceID: -1, runnerName: '', place: 1 }, { raceID: 0, runnerName: '{"a":1}\t\u00e4' }],
    refused: [{ raceID: 99 }, { raceID: '99', runnerName: 'Bo' }, { raceID: 99, runnerName: 'B\0o' }, { raceID: 1, runnerName: 'Bo', place: 0 }],
    reads: [{ _id: '99\0Bo' }, { _id: '99' }, { _id: '99\0Bo\0' }, { _id: 'x\0Bo' }, { _id: '1.5\0Bo' }]
  })

  class ByNumber extends db.Model {
    static KEY = { n: S.int }
    static SORT_KEY = { at: S.double }
    static FIELDS = {}
  }
  add(ByNumber, {
    rows: [{ n: 5, at: 0.5 }, { n: 0, at: 0 }, { n: -7, at: 1e-7 }, { n: 9007199254740991, at: -123456.789 }],
    refused: [{ n: 5.5, at: 0 }, { n: 5 }, { n: '5', at: 0 }]
  })

  class Part extends db.Model {
    static KEY = { maker: S.str }
    static SORT_KEY = { size: S.double, Is: S.bool, isNewer: S.bool, name: S.str.min(1) }
    static FIELDS = { note: S.str.optional() }
  }
  add(Part, {
    rows: [
      { maker: 'm', size: 1.5, Is: true, isNewer: false, name: 'n' }, { maker: 'm', size: 1e-7, Is: false, isNewer: true, name: 'true', note: '' },
      { maker: 'm', size: 1e21, Is: false, isNewer: true, name: '1' }, { maker: 'm', size: 123456789012345680000, Is: false, isNewer: true, name: '2' },
      { maker: 'm', size: -0, Is: false, isNewer: true, name: '3' }, { maker: 'm', size: 5e-324, Is: false, isNewer: true, name: '4' },
      { maker: 'm', size: 0.000001, Is: false, isNewer: true, name: '5' }, { maker: 'm', size: 1.7976931348623157e308, Is: false, isNewer: true, name: '6' },
      { maker: 'm', size: 9007199254740993, Is: false, isNewer: true, name: '7' }, { maker: 'm', size: -1.25e-9, Is: false, isNewer: true, name: '8' },
      // powers of two, below which doubles stand closer than above
      { maker: 'm', size: 2 ** -44, Is: false, isNewer: true, name: '9' }, { maker: 'm', size: 9.5367431640625e-7, Is: false, isNewer: true, name: '10' },
      { maker: 'm', size: 2 ** 89, Is: false, isNewer: true, name: '11' }, { maker: 'm', size: 2 ** -24, Is: false, isNewer: true, name: '12' },
      { maker: 'm', size: 9.5e-45, Is: false, isNewer: true, name: '13' }, { maker: 'm', size: 2 ** 122, Is: false, isNewer: true, name: '14' }
    ],
    refused: [{ maker: 'm', size: 1, Is: 1, isNewer: false, name: 'n' }, { maker: 'm', size: 1, Is: true, isNewer: false, name: '' }]
  })

  class Typed extends db.Model {
    static KEY = { id: S.str }
    static FIELDS = {
      i: S.int.min(-5).max(5).optional(), d: S.double.min(0).max(1).optional(), s: S.str.min(2).max(3).optional(), b: S.bool.optional(),
      free: S.obj().optional(), o: S.obj({ a: S.int, b: S.str.optional(), c: S.obj({ d: S.arr(S.bool) }).optional() }).optional(),
      l: S.arr(S.str).min(1).max(3).optional(), anything: S.arr().optional(), m: S.map.keyPattern('[a-z]+').value(S.int).optional(),
      few: S.obj().min(1).max(2).optional()
    }
  }
  add(Typed, {
    rows: [
      { id: 'a' }, { id: 'b', i: 5, d: 1, s: 'abc', b: true }, { id: 'c', i: -5, d: 0, s: '\u{1f600}\u00e4', b: false },
      { id: 'd', free: {}, o: { a: 1 }, l: [''], anything: [], m: {} },
      { id: 'e', free: { x: [null, 1.5, 'a\0b', {}, [[]], true], '': undefined, 'a.b c': { n: null } }, o: { a: 1, b: 'x', c: { d: [true, false] } } },
      { id: 'f', l: ['a', 'b', 'c'], anything: [1, 'a', { b: [] }, null], m: { abc: 1, d: -1 }, few: { a: 1, b: 2 } },
      { id: 'g', i: 5.0, d: 0.1, anything: [0.1, 0.30000000000000004, -4.35, 1e-7, 123456789.125, 9007199254740991, -0, 5e-5] }
    ],
    refused: [
      { id: 'x', i: 6 }, { id: 'x', i: -6 }, { id: 'x', d: 1.01 }, { id: 'x', d: -0.1 }, { id: 'x', s: 'a' }, { id: 'x', s: 'abcd' }, { id: 'x', s: '\u{1f600}' },
      { id: 'x', b: 'true' }, { id: 'x', b: 0 }, { id: 'x', free: [] }, { id: 'x', free: null }, { id: 'x', o: {} }, { id: 'x', o: { a: 1, z: 1 } },
      { id: 'x', o: { a: '1' } }, { id: 'x', o: { a: 1, c: { d: [1] } } }, { id: 'x', l: [] }, { id: 'x', l: ['a', 'b', 'c', 'd'] }, { id: 'x', l: [1] },
      { id: 'x', l: { 0: 'a' } }, { id: 'x', m: { A: 1 } }, { id: 'x', m: { a: 'b' } }, { id: 'x', few: {} }, { id: 'x', few: { a: 1, b: 2, c: 3 } },
      { id: 'x', anything: [9007199254740992] }, { id: 'x', free: { deep: { n: -9007199254740994 } } }, { id: '' }
    ]
  })

  class ObjectKey extends db.Model {
    static KEY = { o: S.obj(), l: S.arr(S.obj()) }
    static SORT_KEY = { only: S.obj() }
  }
  add(ObjectKey, {
    rows: [
      { o: {}, l: [], only: {} }, { o: { b: 1, a: [true, null, 'x'], c: { z: 'q"\\/', y: 1e21 } }, l: [{ b: 0.1, a: -0 }], only: { t: 'a\0b\b\t\n\f\r\u001f\u007f\u2028' } },
      { o: { '\u{1f600}': 1, '\uff5e': 2, 'a': 3, 'B': 4, '10': 5, '9': 6, 'ab': 7, '': 8 }, l: [{}], only: { k: 1.0 } }
    ],
    refused: [{ o: [], l: [], only: {} }, { o: {}, l: [1], only: {} }]
  })

  class Defaulted extends db.Model {
    static KEY = { id: S.str }
    static SORT_KEY = { kind: S.str.default('thing') }
    static FIELDS = {
      count: S.int.default(5), fixed: S.int.readOnly().default(7), maybe: S.int.optional().default(9), none: S.bool.optional(),
      object: S.obj({ x: S.int.default(3).optional(), y: S.obj({ z: S.str.default('zz') }).default({}) }).default({}),
      list: S.arr(S.obj({ n: S.int.default(1) })).default([{}, { n: 2 }])
    }
  }
  add(Defaulted, {
    rows: [
      { id: 'a' }, { id: 'a', kind: 'k' }, { id: 'b', kind: 'k', count: 1, fixed: 2, maybe: 3, none: true, object: { x: 1, y: { z: 'a' } }, list: [] },
      { id: 'c', kind: 'k', object: { y: {} }, list: [{}, {}] }
    ],
    refused: [{ id: 'a', kind: 'k', count: 'x' }, { id: 'a', kind: 'k', object: { w: 1 } }],
    reads: [{ _id: 'a', _sk: 'k' }, { _id: 'a', _sk: 'k', count: 1, object: {}, list: [{}] }, { _id: 'a', _sk: 'k', maybe: 1 }]
  })

  class PXPayout extends db.Model {
    static KEY = { player: S.str, admin: S.str }
    static FIELDS = { payout: S.int, date: S.str.optional(), notes: S.str.optional(), status: S.bool }
    static INDEXES = {
      payoutByPlayer: { KEY: ['player'], SORT_KEY: ['admin', 'payout'] }, payoutByAdmin: { KEY: ['admin'], SORT_KEY: ['payout'] },
      payoutByStatus: { KEY: ['status'], INCLUDE_ONLY: ['date'] }
    }
  }
  add(PXPayout, {
    rows: [{ player: 'p', admin: 'a', payout: 10, status: true }, { player: 'p', admin: '12', payout: -1, status: false, date: '2020', notes: 'n' }],
    refused: [{ player: '', admin: 'a', payout: 10, status: true }, { player: 'p', admin: 'a', payout: 10 }]
  })

  class GuildMetadata extends db.Model {
    static KEY = { name: S.str }
    static FIELDS = { league: S.str, rank: S.int }
    static INDEXES = { guildByLeague: { KEY: ['league'], SORT_KEY: ['rank'] }, guildByRank: { KEY: ['rank'], SORT_KEY: ['league'] } }
  }
  add(GuildMetadata, {
    rows: [{ name: 'g', league: 'l', rank: 1 }],
    refused: [{ name: 'g', league: '', rank: 1 }, { name: 'g', league: 'l' }]
  })

  class User extends db.Model {
    static KEY = { uid: S.str }
    static FIELDS = { banned: S.str.optional(), level: S.int.optional(), tags: S.arr(S.str).optional(), at: S.double.optional() }
    static INDEXES = {
      bannedUser: { KEY: ['banned'], SPARSE: true }, byBoth: { KEY: ['level', 'banned'], SORT_KEY: ['at'], SPARSE: true, INCLUDE_ONLY: [] },
      byTag: { KEY: ['tags'], SORT_KEY: ['level', 'at'], SPARSE: true, INCLUDE_ONLY: ['banned'] }
    }
  }
  add(User, {
    rows: [
      { uid: 'a' }, { uid: 'b', banned: 'yes' }, { uid: 'c', banned: 'yes', level: 3 }, { uid: 'd', tags: ['x', 'y"'], level: 1, at: 0.25 },
      { uid: 'e', banned: 'seven', level: 2, at: 1e-7, tags: [] }
    ],
    refused: [{ uid: 'x', banned: '' }, { uid: 'x', banned: 'a\0', level: 1 }]
  })

  class KeyIncluded extends db.Model {
    static INDEX_INCLUDE_KEYS = true
    static KEY = { id: S.str, num: S.int }
    static SORT_KEY = { at: S.int }
    static FIELDS = { field: S.str }
    static INDEXES = { index: { KEY: ['field'] }, byNumber: { KEY: ['num'], SORT_KEY: ['at'] } }
  }
  add(KeyIncluded, { rows: [{ id: 'x', num: 1, at: 4, field: 'f' }] })

  class OwnKeyIndex extends db.Model {
    static KEY = { a: S.str, b: S.int }
    static SORT_KEY = { c: S.str }
    static FIELDS = { f: S.int, g: S.obj() }
    static INDEXES = { turned: { KEY: ['c'], SORT_KEY: ['b', 'a'] }, byG: { KEY: ['g', 'f'], SORT_KEY: ['b', 'c'] } }
  }
  add(OwnKeyIndex, { rows: [{ a: 'a', b: 2, c: 'c', f: 1, g: { y: 1, x: [1.5] } }] })

  class Expiring extends db.Model {
    static FIELDS = { expirationTime: S.int, doubleTime: S.double, notTime: S.str.optional(), optionalTime: S.int.optional() }
    static EXPIRE_EPOCH_FIELD = 'expirationTime'
  }
  add(Expiring, { rows: [{ id, expirationTime: 0, doubleTime: 1.5 }, { id, expirationTime: 4102444800, doubleTime: 0, optionalTime: 1 }] })

  class NameOrder extends db.Model {
    static KEY = { b: S.str, a: S.str, B: S.str, '\u00e4': S.str, '\uff5e': S.str, '\u{1f600}': S.str, ab: S.str, 'a-b': S.str }
    static FIELDS = { 'a b.c': S.str }
  }
  add(NameOrder, { rows: [{ b: '1', a: '2', B: '3', '\u00e4': '4', '\uff5e': '5', '\u{1f600}': '6', ab: '7', 'a-b': '8', 'a b.c': '9' }] })

  class Inventory extends db.Model {
    static tableName = 'Inventory'
    static KEY = { userID: S.str }
    static get SORT_KEY () { return { typeKey: S.str.default(this.INVENTORY_ITEM_TYPE) } }
    static get FIELDS () { return { stuff: S.obj().default({}) } }
    static INVENTORY_ITEM_TYPE = 'none'
  }
  class Currency extends Inventory {
    static INVENTORY_ITEM_TYPE = 'money'
  }
  class Weapon extends Inventory {
    static INVENTORY_ITEM_TYPE = 'weapon'
    static FIELDS = { ...super.FIELDS, weaponSkillLevel: S.int }
  }
  add(Currency, { rows: [{ userID: 'u', typeKey: 'money', stuff: { usd: 123, rmb: 456 } }, { userID: 'u', stuff: {} }] })
  add(Weapon, { rows: [{ userID: 'u', typeKey: 'weapon', weaponSkillLevel: 13 }] })

  class Patterned extends db.Model {
    static KEY = { mail: S.SCHEMAS.STR_EMAIL }
    static FIELDS = {
      slug: S.SCHEMAS.STR_ANDU.copy().optional(), at: S.SCHEMAS.TIMESTAMP.copy().optional(), size: S.str.enum('S', 'M', 'L').optional(), epoch: S.SCHEMAS.EPOCH_IN_SECONDS.copy().optional(),
      hex: S.str.pattern(/0x[^g-zG-Z]{2,4}\.?/).optional(), any: S.str.pattern('.*b\\w\\d*').optional(), blob: S.media.type('text/plain').optional()
    }
  }
  add(Patterned, {
    rows: [
      { mail: 'a@b', slug: 'a-B_9', at: '2021-02-15T20:15:59.321Z', size: 'M', epoch: 1600000000 }, { mail: '\u00e4.x@\u{1f600}', hex: '0xab', any: 'b_' },
      { mail: 'a@@', hex: '0x12\u{1f600}.', any: '\u{1f600}bb12', blob: 'x' }
    ],
    refused: [
      { mail: 'A@b' }, { mail: 'a@' }, { mail: 'a b@c' }, { mail: 'a@b\n' }, { mail: 'a@b', slug: '' }, { mail: 'a@b', slug: 'a b' }, { mail: 'a@b', at: '2021-02-15T20:15:59.321' },
      { mail: 'a@b', size: 'XL' }, { mail: 'a@b', epoch: 1 }, { mail: 'a@b', hex: '0xa' }, { mail: 'a@b', hex: '0xabcde' }, { mail: 'a@b', hex: '0xag' },
      { mail: 'a@b', any: 'b' }, { mail: 'a@b', any: 'b\u00e4' }, { mail: 'a@b', any: '\nb1' }
    ]
  })

  class Score extends db.Model {
    static KEY = { n: S.double }
    static FIELDS = { byDay: S.map.value(S.arr(S.double)), total: S.double }
    static INDEXES = { byTotal: { KEY: ['total'], SORT_KEY: ['n'] } }
  }
  add(Score, {
    rows: [
      { n: 0.1, byDay: {}, total: 0 }, { n: -2.5e-9, byDay: { mo: [1, 2.5], 'a b': [] }, total: 1e-100 },
      { n: 1e15, byDay: { x: [0.1 + 0.2, 1 / 3, 2 / 3, 1e-6, 1e-7, 4503599627370497.5] }, total: 9007199254740991 }
    ],
    refused: [{ n: 0.1, byDay: {}, total: 9007199254740992 }, { n: 1e-200, byDay: {}, total: 0 }, { n: 0.1, byDay: { x: ['1'] }, total: 0 }]
  })
  return cases
}
