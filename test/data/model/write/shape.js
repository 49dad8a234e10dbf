// SPDX-License-Identifier: Apache-2.0

// The model as JSON Schema, with what JSON Schema has no words for beside it.
module.exports = Cls => {
  const { $schema, ...schema } = Cls.schema.jsonSchema()
  const ret = { title: Cls.name, ...schema, KEY: Object.keys(Cls.KEY) }
  if (Object.keys(Cls.SORT_KEY ?? {}).length) ret.SORT_KEY = Object.keys(Cls.SORT_KEY)
  if (Object.keys(Cls.INDEXES).length) ret.INDEXES = Cls.INDEXES
  if (Cls.INDEX_INCLUDE_KEYS) ret.INDEX_INCLUDE_KEYS = true
  if (Cls.EXPIRE_EPOCH_FIELD) ret.EXPIRE_EPOCH_FIELD = Cls.EXPIRE_EPOCH_FIELD
  return ret
}
