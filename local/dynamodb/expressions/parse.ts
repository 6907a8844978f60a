import { LRUCache } from "lru-cache"
import { invalid } from "../refusal.ts"
import { reservedWords } from "./reserved-words.ts"

/** Attribute names, with their `#` if they stand for another, and indexes of lists. */
export type Path = (string | number)[]

export type Operand = { is: "path"; path: Path } | { is: "value"; name: string } | { is: "size"; of: Operand }
export type Comparator = "=" | "<>" | "<" | "<=" | ">" | ">="
export type Condition =
  | { is: "and" | "or"; sides: [Condition, Condition] }
  | { is: "not"; side: Condition }
  | { is: "compare"; by: Comparator; left: Operand; right: Operand }
  | { is: "between"; operand: Operand; low: Operand; high: Operand }
  | { is: "in"; operand: Operand; among: Operand[] }
  | { is: "call"; name: ConditionFunction; operands: Operand[] }
export type ConditionFunction = keyof typeof conditionFunctions

/** What an update sets an attribute to. */
export type Term =
  | Operand
  | { is: "sum"; sign: 1 | -1; left: Term; right: Term }
  | { is: "if_not_exists"; path: Path; otherwise: Term }
  | { is: "list_append"; lists: [Term, Term] }
export interface Update {
  SET: { path: Path; term: Term }[]
  REMOVE: { path: Path }[]
  ADD: { path: Path; value: string }[]
}

/** What was parsed, as which member of a request, and the placeholders it uses. */
export interface Parsed<Tree> {
  kind: string
  tree: Tree
  names: Set<string>
  values: Set<string>
}

/** How many operands each function of a condition takes. */
const conditionFunctions = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  begins_with: 2,
}
const isConditionFunction = (name: string): name is ConditionFunction =>
  Object.hasOwn(conditionFunctions, name)

/** @throws Refusal naming the expression, as all of these */
export const parseCondition = remembering((parser) => parser.condition())
export const parseUpdate = remembering((parser) => parser.update())
export const parseProjection = remembering((parser) => parser.listOf(() => parser.path()))

/** A service sends a few dozen expressions, with other values each time. */
function remembering<Tree>(read: (parser: Parser) => Tree) {
  const known = new LRUCache<string, Parsed<Tree>>({ max: 1000 })
  return (kind: string, text: unknown): Parsed<Tree> => {
    if (typeof text !== "string" || text.trim() === "")
      throw invalid(`Invalid ${kind}: The expression can not be empty;`)
    const earlier = known.get(`${kind} ${text}`)
    if (earlier) return earlier
    const parser = new Parser(kind, text)
    const tree = read(parser)
    parser.end()
    const parsed = { kind, tree, names: parser.names, values: parser.values }
    known.set(`${kind} ${text}`, parsed)
    return parsed
  }
}

/** What an expression may have at most: bytes, operators and functions together, and values of one IN. */
const most = { bytes: 4096, operators: 300, among: 100 }

const token = /\s*(?:([A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+)|(\d+)|(<>|<=|>=|[=<>()[\],.+-])|$)/y
const comparators: Comparator[] = ["=", "<>", "<", "<=", ">", ">="]

class Parser {
  readonly names = new Set<string>()
  readonly values = new Set<string>()
  readonly #kind: string
  readonly #tokens: string[] = []
  #at = 0
  #operators = 0
  /** The condition that was read last between parentheses. */
  #enclosed: Condition | undefined

  constructor(kind: string, text: string) {
    this.#kind = kind
    if (Buffer.byteLength(text) > most.bytes)
      throw this.#wrong("Expression size has exceeded the maximum allowed size;")
    token.lastIndex = 0
    while (token.lastIndex < text.length) {
      const from = token.lastIndex
      const found = token.exec(text)
      if (!found) throw this.#wrong(`Syntax error; token: "${text.slice(from).trim()[0]}"`)
      if (found[0].trim()) this.#tokens.push(found[0].trim())
    }
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw this.#unexpected()
  }

  condition(): Condition {
    let left = this.#conjunction()
    while (this.#takeOperator("OR")) left = { is: "or", sides: [left, this.#conjunction()] }
    return left
  }

  update(): Update {
    const update: Update = { SET: [], REMOVE: [], ADD: [] }
    while (this.#at < this.#tokens.length) {
      const clause = this.#next().toUpperCase()
      switch (clause) {
        case "SET":
          this.#fill(update.SET, clause, () => this.#assignment())
          break
        case "REMOVE":
          this.#fill(update.REMOVE, clause, () => ({ path: this.path() }))
          break
        case "ADD":
          this.#fill(update.ADD, clause, () => ({ path: this.path(), value: this.#value() }))
          break
        default:
          this.#at--
          throw this.#unexpected()
      }
    }
    return update
  }

  listOf<One>(read: () => One): One[] {
    const list = [read()]
    while (this.#take(",")) list.push(read())
    return list
  }

  path(): Path {
    const path: Path = [this.#name()]
    for (;;) {
      if (this.#take(".")) path.push(this.#name())
      else if (this.#take("[")) {
        path.push(Number(this.#matching(/^\d+$/)))
        this.#must("]")
      } else return path
    }
  }

  #fill<One>(list: One[], clause: string, read: () => One): void {
    if (list.length > 0)
      throw this.#wrong(`The "${clause}" section can only be used once in an update expression;`)
    list.push(...this.listOf(read))
  }

  #assignment() {
    const path = this.path()
    this.#must("=")
    return { path, term: this.#term() }
  }

  #term(): Term {
    const left = this.#simpleTerm()
    const sign = this.#takeOperator("+") ? 1 : this.#takeOperator("-") ? -1 : undefined
    return sign ? { is: "sum", sign, left, right: this.#simpleTerm() } : left
  }

  #simpleTerm(): Term {
    if (this.#take("(")) {
      const term = this.#term()
      this.#must(")")
      return term
    }
    if (this.#peek(1) !== "(") return this.#pathOrValue()
    const name = this.#function()
    this.#must("(")
    if (name === "if_not_exists") {
      const path = this.path()
      this.#must(",")
      const otherwise = this.#simpleTerm()
      this.#must(")")
      return { is: "if_not_exists", path, otherwise }
    }
    if (name !== "list_append") throw this.#wrong(`Invalid function name; function: ${name}`)
    const first = this.#simpleTerm()
    this.#must(",")
    const second = this.#simpleTerm()
    this.#must(")")
    return { is: "list_append", lists: [first, second] }
  }

  #conjunction(): Condition {
    let left = this.#negation()
    while (this.#takeOperator("AND")) left = { is: "and", sides: [left, this.#negation()] }
    return left
  }

  #negation(): Condition {
    return this.#takeOperator("NOT") ? { is: "not", side: this.#negation() } : this.#comparison()
  }

  #comparison(): Condition {
    if (this.#take("(")) {
      const condition = this.condition()
      this.#must(")")
      if (condition === this.#enclosed) throw this.#wrong("The expression has redundant parentheses;")
      this.#enclosed = condition
      return condition
    }
    if (this.#peek(1) === "(" && this.#peek(0) !== "size") return this.#call()
    const left = this.#operand()
    if (this.#takeOperator("BETWEEN")) {
      const low = this.#operand()
      this.#must("AND")
      return { is: "between", operand: left, low, high: this.#operand() }
    }
    if (this.#takeOperator("IN")) {
      this.#must("(")
      const among = this.listOf(() => this.#operand())
      this.#must(")")
      if (among.length > most.among)
        throw this.#wrong(
          `The IN operator is provided with too many operands; number of operands: ${among.length}`,
        )
      return { is: "in", operand: left, among }
    }
    const by = comparators.find((one) => this.#takeOperator(one))
    if (!by) throw this.#unexpected()
    return { is: "compare", by, left, right: this.#operand() }
  }

  #call(): Condition {
    const name = this.#function()
    if (!isConditionFunction(name)) throw this.#wrong(`Invalid function name; function: ${name}`)
    this.#must("(")
    const operands = this.listOf(() => this.#operand())
    this.#must(")")
    if (operands.length !== conditionFunctions[name])
      throw this.#wrong(
        `Incorrect number of operands for operator or function; operator or function: ${name}, ` +
          `number of operands: ${operands.length}`,
      )
    if (name !== "begins_with" && operands[0]!.is !== "path")
      throw this.#wrong(`Operator or function requires a document path; operator or function: ${name}`)
    return { is: "call", name, operands }
  }

  #operand(): Operand {
    if (this.#peek(0) !== "size" || this.#peek(1) !== "(") return this.#pathOrValue()
    this.#function()
    this.#must("(")
    const of = this.#pathOrValue()
    this.#must(")")
    return { is: "size", of }
  }

  #pathOrValue(): { is: "path"; path: Path } | { is: "value"; name: string } {
    return this.#peek(0)?.startsWith(":")
      ? { is: "value", name: this.#value() }
      : { is: "path", path: this.path() }
  }

  #value(): string {
    const name = this.#matching(/^:/)
    this.values.add(name)
    return name
  }

  #name(): string {
    const name = this.#matching(/^[#A-Za-z]/)
    if (name.startsWith("#")) this.names.add(name)
    else if (reservedWords.has(name.toUpperCase()))
      throw this.#wrong(`Attribute name is a reserved keyword; reserved keyword: ${name}`)
    return name
  }

  #peek(ahead: number): string | undefined {
    return this.#tokens[this.#at + ahead]
  }

  #next(): string {
    const next = this.#tokens[this.#at]
    if (next === undefined) throw this.#unexpected()
    this.#at++
    return next
  }

  #take(mark: string): boolean {
    if (this.#peek(0)?.toUpperCase() !== mark) return false
    this.#at++
    return true
  }

  #takeOperator(mark: string): boolean {
    const isTaken = this.#take(mark)
    if (isTaken) this.#count()
    return isTaken
  }

  #function(): string {
    this.#count()
    return this.#next()
  }

  #count(): void {
    this.#operators++
    if (this.#operators > most.operators)
      throw this.#wrong(`The expression contains too many operators; operator count: ${this.#operators}`)
  }

  #must(mark: string): void {
    if (!this.#take(mark)) throw this.#unexpected()
  }

  #matching(form: RegExp): string {
    if (!form.test(this.#peek(0) ?? "")) throw this.#unexpected()
    return this.#next()
  }

  #unexpected() {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).join(" ")
    return this.#wrong(`Syntax error; token: "${this.#peek(0) ?? "<EOF>"}", near: "${near}"`)
  }

  #wrong(why: string) {
    return invalid(`Invalid ${this.#kind}: ${why}`)
  }
}
