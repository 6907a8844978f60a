import postgres from "postgres"

/** How many changes, and how many reads, of one process are under way at once. */
const most = { changes: 8, reads: 4 }
/** In seconds. */
const connectS = 5
/** So long an answer may take, in ms: more than the server lets a change take. */
const answerMs = 8000

/** The rows of one statement. */
export type Answer = Record<string, string | null>[]

/**
 * Connections to PostgreSQL. All statements go as simple queries, which prepare nothing and leave nothing in
 * the session: a pooler in transaction mode may stand between.
 */
export interface Connections {
  /** Runs statements in one message. @returns what each has answered */
  ask: (statements: string) => Promise<Answer[]>
  /** Lends a connection that nobody else uses meanwhile. */
  alone: <Result>(work: (ask: Connections["ask"]) => Promise<Result>) => Promise<Result>
  close: () => Promise<void>
}

export function connect(url: string): Connections {
  const options = {
    prepare: false,
    fetch_types: false,
    connect_timeout: connectS,
    max_lifetime: null,
    backoff: () => 0.2,
    onnotice: () => {},
    connection: { application_name: "messaging-bridge" },
  }
  const reads = postgres(url, { ...options, max: most.reads })
  // Each has one connection, so that two messages in a row meet the same one.
  const one = () => postgres(url, { ...options, max: 1 })
  const free = Array.from({ length: most.changes }, one)
  const all = new Set([reads, ...free])
  const waiting: ((one: postgres.Sql) => void)[] = []

  /** In place of one whose connection was lost: the driver may not have noticed yet, and queue what comes. */
  function replaced(lost: postgres.Sql): postgres.Sql {
    all.delete(lost)
    // Nobody waits for what it still has.
    lost.end({ timeout: 0 }).catch(() => {})
    const fresh = one()
    all.add(fresh)
    return fresh
  }

  return {
    ask: (statements) => ask(reads, statements),
    async alone(work) {
      let lent = free.pop() ?? (await new Promise<postgres.Sql>((resolve) => waiting.push(resolve)))
      try {
        return await work((statements) => ask(lent, statements))
      } catch (error) {
        if (!isAnswer(error)) lent = replaced(lent)
        throw error
      } finally {
        const next = waiting.shift()
        if (next) next(lent)
        else free.push(lent)
      }
    },
    close: async () => void (await Promise.all([...all].map((on) => on.end({ timeout: 5 })))),
  }
}

async function ask(on: postgres.Sql, statements: string): Promise<Answer[]> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(Object.assign(new Error("the database did not answer in time"), { code: "ETIMEDOUT" })),
    answerMs,
  )
  try {
    const said: unknown = await Promise.race([on.unsafe(statements).simple(), late])
    // One statement answers with its rows, several with a list of them.
    const isOne = Array.isArray(said) && !Array.isArray(said[0])
    return (isOne ? [said] : said) as Answer[]
  } finally {
    clearTimeout(timer)
  }
}

/** Whether the connection goes on: the error is ours, or PostgreSQL's, and it has not ended with it. */
export function isAnswer(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return !/^(57P0|08)/.test(error.code)
  const { code } = error as { code?: unknown }
  return typeof code !== "string"
}

/** A text in SQL, whatever `standard_conforming_strings` is. */
export function literal(text: string): string {
  return `E'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}

/**
 * A key in SQL. PostgreSQL's texts have no zero character, so it is written as two: what is written sorts as
 * what is meant.
 */
export function keyLiteral(text: string): string {
  return literal(text.replaceAll("\u0001", "\u0001\u0002").replaceAll("\0", "\u0001\u0001"))
}
