// SPDX-License-Identifier: Apache-2.0

// Writes what the library makes of the models in models.js: see ../README.md.
const fs = require('fs')
const path = require('path')
const description = require('./shape')

const [library, endpoint, folder] = process.argv.slice(2)
Object.assign(process.env, { DYNAMO_ENDPT: endpoint, SERVICE: 'fixture', INDEBUGGER: '1', AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' })
const from = name => require(require.resolve(name, { paths: [library] }))
const db = require(path.join(library, 'src/default-db.js'))
const S = from('@pocketgems/schema')
const { ITEM_SOURCE } = require(path.join(library, 'src/utils.js'))
const { DynamoDB } = from('@aws-sdk/client-dynamodb')
const { marshall, unmarshall } = from('@aws-sdk/util-dynamodb')
const client = new DynamoDB({ region: 'us-west-2', endpoint })
const marshalled = item => marshall(item, { removeUndefinedValues: true })

function tableOf (Cls) {
  const table = Object.values(Cls.resourceDefinitions).find(x => x.Type === 'AWS::DynamoDB::Table').Properties
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes: indexes } = table
  const bare = indexes?.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }))
  return { AttributeDefinitions, KeySchema, ...(bare && { GlobalSecondaryIndexes: bare }) }
}

const keyOf = ({ _id, _sk }) => ({ _id, ...(_sk && { _sk }) })
const copy = value => JSON.parse(JSON.stringify(value))

async function itemOf (Cls, key) {
  return (await client.getItem({ TableName: Cls.fullTableName, Key: key, ConsistentRead: true })).Item
}

async function clear (Cls) {
  for (const item of (await client.scan({ TableName: Cls.fullTableName })).Items) {
    await client.deleteItem({ TableName: Cls.fullTableName, Key: keyOf(item) })
  }
}

// As it is created, and as it is put.
async function written (Cls, given, operation) {
  await clear(Cls)
  await db.Transaction.run({ retries: 0 }, tx => { tx[operation](Cls, given) })
  return (await client.scan({ TableName: Cls.fullTableName })).Items[0]
}

async function readOf (Cls, item) {
  await clear(Cls)
  await client.putItem({ TableName: Cls.fullTableName, Item: item })
  return db.Transaction.run({ retries: 0, readOnly: true }, async tx => {
    const { _id, _sk } = unmarshall(item)
    const key = Cls.__decodeCompoundValue(Cls.__keyOrder.partition, _id, '_id', Cls.__useNumericKey(Cls.KEY))
    if (_sk !== undefined) {
      Object.assign(key, Cls.__decodeCompoundValue(Cls.__keyOrder.sort, _sk, '_sk', Cls.__useNumericKey(Cls.SORT_KEY)))
    }
    return (await tx.get(Cls, key)).getSnapshot()
  })
}

// What each index gives, and what the library reads there.
async function indexed (Cls, given) {
  const ret = {}
  await written(Cls, given, 'create')
  for (const index of Object.keys(Cls.INDEXES)) {
    const [item] = (await client.scan({ TableName: Cls.fullTableName, IndexName: index })).Items
    if (!item) continue
    const model = new Cls(ITEM_SOURCE.SCAN, false, unmarshall(item), index)
    const names = Object.keys(Cls._attrs).filter(name => { try { return model[name] !== undefined } catch (e) { return false } })
    ret[index] = { item, read: Object.fromEntries(names.map(name => [name, model[name]])) }
  }
  return ret
}

// An update keeps 1e-7 as it is sent, a put makes 0.0000001 of it.
const sorted = item => JSON.stringify(Object.entries(unmarshall(item)).sort(([a], [b]) => (a < b ? -1 : 1)))

async function row (Cls, given) {
  const item = await written(Cls, copy(given), 'create')
  const put = await written(Cls, copy(given), 'createOrPut')
  if (sorted(item) !== sorted(put)) throw new Error(`${Cls.name}: ${sorted(item)} is put as ${sorted(put)}`)
  return { given, item, read: await readOf(Cls, item), indexes: await indexed(Cls, copy(given)) }
}

async function refusal (Cls, given) {
  const error = await written(Cls, copy(given), 'create').then(() => undefined, e => e)
  if (!error) throw new Error(`${Cls.name} takes ${JSON.stringify(given)}`)
  return { given, by: error.name }
}

async function read (Cls, item) {
  const raw = marshalled(item)
  return { item: raw, ...await readOf(Cls, raw).then(read => ({ read }), e => ({ refused: e.name })) }
}

// Integers of 64 bits do not hold all that JavaScript writes without a point.
const text = all => JSON.stringify(all).replace(/(?<=[[:,])-?\d{16,}(?=[\],}])/g, '$&.0') + '\n'

async function main () {
  for (const { Cls, rows, refused, reads } of require('./models')(db, S)) {
    await Cls.createResources()
    const all = { model: description(Cls), table: tableOf(Cls), rows: [], refused: [], reads: [] }
    for (const given of rows) all.rows.push(await row(Cls, given))
    for (const given of refused) all.refused.push(await refusal(Cls, given))
    for (const item of reads) all.reads.push(await read(Cls, item))
    fs.writeFileSync(path.join(folder, Cls.name + '.json'), text(all))
  }
}

main().catch(e => { console.error(e); process.exit(1) })
