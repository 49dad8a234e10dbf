// SPDX-License-Identifier: Apache-2.0

// Writes what the library asks of the table for queries and scans: see ../README.md.
const fs = require('fs')
const path = require('path')
const description = require('./shape')

const [library, folder] = process.argv.slice(2)
Object.assign(process.env, { DYNAMO_ENDPT: 'http://127.0.0.1:1', SERVICE: 'fixture', INDEBUGGER: '1', AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' })
const from = name => require(require.resolve(name, { paths: [library] }))
const db = require(path.join(library, 'src/default-db.js'))
const S = from('@pocketgems/schema')
const { Query, Scan } = require(path.join(library, 'src/iterators.js'))
const { marshall } = from('@aws-sdk/util-dynamodb')

const OPERATORS = { '=': '==', '<>': '!=' }

// The expression as a list of conditions, each [attribute, operator, value, upper value].
function conditions (expression, params) {
  const name = text => params.ExpressionAttributeNames[text]
  const value = text => marshall({ v: params.ExpressionAttributeValues[text] }).v
  return (expression ?? '').split(' AND (').filter(x => x).map(text => {
    const [, inside] = text.match(/^\(?(.*)\)$/)
    const between = inside.match(/^(#\w+) BETWEEN (:\w+) AND (:\w+)$/)
    if (between) return [name(between[1]), 'between', value(between[2]), value(between[3])]
    const call = inside.match(/^(begins_with|contains)\((#\w+),(:\w+)\)$/)
    if (call) return [name(call[2]), call[1] === 'contains' ? 'contains' : 'prefix', value(call[3])]
    const [, left, operator, right] = inside.match(/^(#\w+)([=<>]+)(:\w+)$/)
    return [name(left), OPERATORS[operator] ?? operator, value(right)]
  })
}

function request (Cls, { scan, options = {}, where = [] }) {
  const iterator = new (scan ? Scan : Query)({ ModelCls: Cls, options: { ...options } })
  for (const [field, ...condition] of where) {
    if (!iterator[field]) throw new Error(`no ${field}`)
    iterator[field](...condition)
  }
  const params = iterator.__setupParams()
  return {
    index: params.IndexName,
    consistent: params.ConsistentRead,
    descending: params.ScanIndexForward === false,
    segment: params.Segment,
    segments: params.TotalSegments,
    key: conditions(params.KeyConditionExpression, params),
    filter: conditions(params.FilterExpression, params)
  }
}

function refusal (Cls, asked) {
  try {
    request(Cls, asked)
  } catch (e) {
    return { ...asked, by: e.name }
  }
  throw new Error(`${Cls.name} takes ${JSON.stringify(asked)}`)
}

for (const { Cls, taken, refused, stricter } of require('./asked')(db, S)) {
  Cls.__doOneTimeModelPrep()
  const model = JSON.parse(JSON.stringify(description(Cls))) // before the library sorts the parts of its keys
  const all = { model, taken: [], refused: [], stricter: [] }
  for (const asked of taken) all.taken.push({ ...asked, request: request(Cls, asked) })
  for (const asked of refused) all.refused.push(refusal(Cls, asked))
  for (const asked of stricter) all.stricter.push({ ...asked, request: request(Cls, asked) })
  fs.writeFileSync(path.join(folder, Cls.name + '.json'), JSON.stringify(all) + '\n')
}
