import { randomUUID } from "node:crypto"
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb"
import type { Random } from "#test/support/random.ts"
import { judge, type Kind, type State } from "./judge.ts"

export const table = "Things"
export const index = "byHost"

/** How often it adds one in each transaction: so one that is applied twice is seen. */
const counter = "COUNTER"
const rows = Array.from({ length: 8 }, (_, at) => `ROW#${at}`)

/** A write, and what its partition holds once it is done. */
interface Write {
  send: () => Promise<unknown>
  after: State
}

/** What became of a write: `unknown` when the connection ended. */
type Outcome = "confirmed" | "refused" | "unknown"

/** Writes into a partition of its own, one request after the other, and knows what has to be there. */
export class Writer {
  readonly #name: string
  readonly #random: Random
  #client: DynamoDBDocumentClient
  #confirmed: State = new Map()
  /** The last write, unless it was confirmed, and whether it may be there. */
  #tried: State | undefined
  #isOpen = false
  #version = 0
  /** Transactions that were refused, or were confirmed just now: they are repeated under their tokens. */
  #again: Write | undefined
  /** What was found that must not be. */
  readonly faults: Kind[] = []

  constructor(name: string, random: Random, client: DynamoDBDocumentClient) {
    this.#name = name
    this.#random = random
    this.#client = client
  }

  /** A write, and often a look at what is there then. @throws the look's error */
  async step(): Promise<Outcome> {
    const write = this.#again ?? this.#newWrite()
    this.#again = undefined
    this.#tried = write.after
    const outcome = await outcomeOf(write.send())
    this.#isOpen = outcome === "unknown"
    if (outcome === "confirmed") this.#settle(write.after)
    if (outcome === "unknown") return outcome
    if (outcome === "refused" || this.#random.next() < 0.2) await this.look()
    const mayRepeat = outcome === "refused" ? this.#random.next() < 0.5 : this.#random.next() < 0.1
    if (mayRepeat && write.after.get(counter) !== undefined) this.#again = write
    return outcome
  }

  /** Goes on with the store that was started in the place of the last. It has forgotten the tokens. */
  use(client: DynamoDBDocumentClient): void {
    this.#client = client
    this.#again = undefined
  }

  /** Compares what the table and its index hold with what was confirmed. What is seen once has to stay. */
  async look(): Promise<void> {
    const found = await this.#read({
      KeyConditionExpression: "pk = :name",
      ConsistentRead: true,
    })
    const byIndex = await this.#read({ IndexName: index, KeyConditionExpression: "host = :name" })
    const fault =
      judge(found, { confirmed: this.#confirmed, tried: this.#tried, isOpen: this.#isOpen, counter }) ??
      judge(byIndex, { confirmed: found, tried: undefined, isOpen: false, counter })
    if (fault) this.faults.push(fault)
    this.#settle(found)
  }

  #settle(state: State): void {
    this.#confirmed = state
    this.#tried = undefined
    this.#isOpen = false
  }

  async #read(about: object): Promise<State> {
    const state = new Map<string, string>()
    let ExclusiveStartKey: Record<string, unknown> | undefined
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: table,
          ExpressionAttributeValues: { ":name": this.#name },
          ExclusiveStartKey,
          ...about,
        }),
      )
      for (const { sk, n, v, text } of page.Items ?? [])
        state.set(String(sk), sk === counter ? String(n) : `${v} ${String(text).length}`)
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey)
    return state
  }

  #newWrite(): Write {
    const one = this.#random.pick(rows)!
    const kind = this.#random.below(10)
    if (kind === 0) return this.#removal(one)
    if (kind === 1) return this.#put(one)
    if (kind === 2) return this.#update(one)
    return this.#transaction()
  }

  #removal(sk: string): Write {
    const send = () => this.#client.send(new DeleteCommand({ TableName: table, Key: this.#key(sk) }))
    return { send, after: new Map([...this.#confirmed].filter(([name]) => name !== sk)) }
  }

  #put(sk: string): Write {
    const { item, value } = this.#item(sk)
    const send = () => this.#client.send(new PutCommand({ TableName: table, Item: item }))
    return { send, after: new Map([...this.#confirmed, [sk, value]]) }
  }

  #update(sk: string): Write {
    const { item, value } = this.#item(sk)
    const change = new UpdateCommand({
      TableName: table,
      Key: this.#key(sk),
      UpdateExpression: "SET v = :v, #text = :text, host = :host",
      ExpressionAttributeNames: { "#text": "text" },
      ExpressionAttributeValues: { ":v": item.v, ":text": item.text, ":host": this.#name },
    })
    return { send: () => this.#client.send(change), after: new Map([...this.#confirmed, [sk, value]]) }
  }

  /** Some rows and the counter, under a token. */
  #transaction(): Write {
    const after = new Map(this.#confirmed)
    const count = Number(after.get(counter) ?? 0)
    after.set(counter, String(count + 1))
    const chosen = rows.filter(() => this.#random.next() < 0.5)
    const TransactItems: TransactWriteCommandInput["TransactItems"] = chosen.map((sk) => {
      if (this.#random.next() < 0.2) {
        after.delete(sk)
        return { Delete: { TableName: table, Key: this.#key(sk) } }
      }
      const { item, value } = this.#item(sk)
      after.set(sk, value)
      return { Put: { TableName: table, Item: item } }
    })
    TransactItems.push({
      Update: {
        TableName: table,
        Key: this.#key(counter),
        UpdateExpression: "ADD n :one SET host = :host",
        ExpressionAttributeValues: { ":one": 1, ":host": this.#name },
      },
    })
    const transaction = new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() })
    return { send: () => this.#client.send(transaction), after }
  }

  #key(sk: string) {
    return { pk: this.#name, sk }
  }

  #item(sk: string) {
    const v = ++this.#version
    const length = this.#random.below(6000)
    const item = { ...this.#key(sk), host: this.#name, v, text: "x".repeat(length) }
    return { item, value: `${v} ${length}` }
  }
}

/** @throws what is neither a refusal for want of room nor the end of a connection */
async function outcomeOf(sent: Promise<unknown>): Promise<Outcome> {
  try {
    await sent
    return "confirmed"
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (!isAnswer(error)) return "unknown"
    if (error.name === "ServiceUnavailable") return "refused"
    throw error
  }
}

/** Whether the store gave this error as its answer; otherwise the connection ended. */
export function isAnswer(error: Error): boolean {
  const { $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } } // the SDK's
  return $metadata?.httpStatusCode !== undefined
}
