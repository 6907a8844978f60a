/** States consist of small numbers and words, and all states of a model have one shape. */
type Plain = number | string | boolean | readonly Plain[] | { readonly [field: string]: Plain }

/** In a code, bytes below this are numbers, the others words. */
const firstWord = 128

/** Offers a step: its name, and the change it makes to a copy of the state. */
export type Offer<State> = (label: string, change: (next: State) => void) => void

export interface Model<State, Harm extends string> {
  start: State
  /**
   * Offers everything that may happen next. A `fault` need not happen: it may do harm, but nothing may depend on one to
   * end well.
   */
  next: (now: Readonly<State>, step: Offer<State>, fault: Offer<State>) => void
  /** The broken rule; empty or undefined when all is well. */
  harm: (now: Readonly<State>) => Harm | "" | undefined
  /** A state that must be reachable from everywhere by steps alone, without another fault. */
  settled: (now: Readonly<State>) => boolean
  /** The name of the harm that no settled state can be reached any more. */
  stuck: Harm
}

export interface Explored<State, Harm extends string> {
  /** How many different states were seen: all there are, unless a harm ended the search. */
  states: number
  /** The nearest harm, with the shortest way to it. */
  violation?: { harm: Harm; trace: string[]; state: State }
}

/** Looks at every state that a model can be in, breadth first. Without a violation it has seen them all. */
export function explore<State extends object, Harm extends string>(
  model: Model<State, Harm>,
  { maxStates = 600_000 } = {},
): Explored<State, Harm> {
  const encode = encoder()
  const numbers = new Map([[encode(asPlain(model.start)), 0]])
  const cameFrom = [0]
  const cameBy = [""]
  /** The states that are still to be looked at; undefined afterwards, to save memory. */
  const states: (State | undefined)[] = [model.start]
  const settled: number[] = []
  const steps: Edges = { from: [], to: [] }

  const traceTo = (number: number) => {
    const trace: string[] = []
    for (let at = number; at !== 0; at = cameFrom[at]!) trace.push(cameBy[at]!)
    return trace.toReversed()
  }

  for (let current = 0; current < states.length; current++) {
    const now = states[current]!
    const harm = model.harm(now)
    if (harm) return { states: numbers.size, violation: { harm, trace: traceTo(current), state: now } }
    if (model.settled(now)) settled.push(current)

    const reach = (label: string, change: (next: State) => void): number => {
      const next = copy(now)
      change(next)
      const code = encode(asPlain(next))
      const known = numbers.get(code)
      if (known !== undefined) return known
      const number = numbers.size
      if (number === maxStates) throw new Error(`the model has more than ${maxStates} states`)
      numbers.set(code, number)
      states.push(next)
      cameFrom.push(current)
      cameBy.push(label)
      return number
    }
    model.next(
      now,
      (label, change) => {
        steps.from.push(current)
        steps.to.push(reach(label, change))
      },
      (label, change) => void reach(label, change),
    )
    states[current] = undefined
  }

  const lost = firstThatCannotReach(settled, steps, numbers.size)
  if (lost === undefined) return { states: numbers.size }
  const trace = traceTo(lost)
  return { states: numbers.size, violation: { harm: model.stuck, trace, state: replay(model, trace) } }
}

interface Edges {
  from: number[]
  to: number[]
}

/** The nearest state from which no steps lead to any of the targets. */
function firstThatCannotReach(targets: number[], steps: Edges, states: number): number | undefined {
  // The steps that lead to one state lie side by side: those to state n go from begin[n] up to begin[n + 1].
  const begin = new Int32Array(states + 2)
  for (const to of steps.to) begin[to + 2]!++
  for (let n = 2; n < begin.length; n++) begin[n]! += begin[n - 1]!
  const sources = new Int32Array(steps.from.length)
  for (const [i, to] of steps.to.entries()) sources[begin[to + 1]!++] = steps.from[i]!

  const reaches = new Uint8Array(states)
  for (const target of targets) reaches[target] = 1
  const waiting = [...targets]
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop())
    for (let i = begin[state]!; i < begin[state + 1]!; i++) {
      const source = sources[i]!
      if (reaches[source]) continue
      reaches[source] = 1
      waiting.push(source)
    }
  const lost = reaches.indexOf(0)
  return lost === -1 ? undefined : lost
}

/**
 * The state at the end of a trace. Steps of the same name from one state must be the same step, or the model is
 * ambiguous.
 */
function replay<State extends object>(model: Model<State, string>, trace: string[]): State {
  let now = model.start
  for (const wanted of trace) {
    const take = (label: string, change: (next: State) => void) => {
      if (label === wanted) found ??= change
    }
    let found: ((next: State) => void) | undefined
    model.next(now, take, take)
    now = copy(now)
    found?.(now)
  }
  return now
}

/** Two states have the same code exactly if they are equal: one byte a value, since all states have one shape. */
function encoder(): (state: Plain) => string {
  const bytes = Buffer.alloc(256)
  const words = new Map<string | boolean, number>()
  let end = 0
  let size: number | undefined

  const write = (value: Plain): void => {
    if (isList(value)) return value.forEach(write)
    if (typeof value === "object") {
      for (const field in value) write(value[field]!)
      return
    }
    bytes[end++] = typeof value === "number" ? checked(value) : numberOf(value)
  }
  const numberOf = (word: string | boolean) => {
    const known = words.get(word)
    if (known) return known
    words.set(word, firstWord + words.size)
    if (words.size > firstWord) throw new Error("the states hold too many different words")
    return words.get(word)!
  }
  return (state) => {
    end = 0
    write(state)
    size ??= end
    if (end !== size || end > bytes.length)
      throw new Error("the states differ in their shape, or are too large")
    return bytes.toString("latin1", 0, end)
  }
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value)
}

function checked(value: number): number {
  if (Number.isInteger(value) && value >= 0 && value < firstWord) return value
  throw new Error(`a state holds ${value}, which has no code`)
}

function copy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copy) as Value // an array yields an array
  const copied = { ...value }
  for (const field in copied) if (typeof copied[field] === "object") copied[field] = copy(copied[field])
  return copied
}

/** TypeScript cannot see that it is plain: an interface has no index signature. The encoder refuses all else. */
function asPlain(state: object): Plain {
  return state as Plain
}
