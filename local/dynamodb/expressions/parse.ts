import { LRUCache } from "lru-cache"
import { invalid } from "../refusal.ts"
import { reservedWords } from "./reserved-words.ts"

/** Attribute names, with their `#` if they stand for another, and indexes of lists. */
export type Path = (string | number)[]

type PathOrValue = { is: "path"; path: Path } | { is: "value"; name: string }
export type Operand = PathOrValue | { is: "size"; of: PathOrValue }

const comparators = ["=", "<>", "<", "<=", ">", ">="] as const
/** How many operands each function of a condition takes. */
const functions = { attribute_exists: 1, attribute_not_exists: 1, begins_with: 2 }
export type Operator = (typeof comparators)[number] | "BETWEEN" | "IN" | keyof typeof functions

/** What an operator or a function says of its operands. */
export interface Test {
  is: "test"
  by: Operator
  operands: Operand[]
}
export type Condition = Test | { is: "AND" | "OR" | "NOT"; sides: Condition[] }

/** What an update sets an attribute to. */
export type Term =
  | Operand
  | { is: "+" | "-" | "list_append"; terms: [Term, Term] }
  | { is: "if_not_exists"; path: Path; otherwise: Term }
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
    return this.#chain("OR", () => this.#chain("AND", () => this.#negation()))
  }

  update(): Update {
    const update: Update = { SET: [], REMOVE: [], ADD: [] }
    while (this.#at < this.#tokens.length) {
      if (this.#take("SET")) this.#fill("SET", update.SET, () => this.#assignment())
      else if (this.#take("REMOVE")) this.#fill("REMOVE", update.REMOVE, () => ({ path: this.path() }))
      else if (this.#take("ADD"))
        this.#fill("ADD", update.ADD, () => ({ path: this.path(), value: this.#value() }))
      else throw this.#unexpected()
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

  #fill<One>(clause: string, list: One[], read: () => One): void {
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
    const sign = (["+", "-"] as const).find((one) => this.#takeOperator(one))
    return sign ? { is: sign, terms: [left, this.#simpleTerm()] } : left
  }

  #simpleTerm(): Term {
    if (this.#peek(0) === "(") return this.#enclosing(() => this.#term())
    if (this.#peek(1) !== "(") return this.#pathOrValue()
    const is = this.#function()
    if (is !== "if_not_exists" && is !== "list_append")
      throw this.#wrong(`Invalid function name; function: ${is}`)
    return this.#enclosing((): Term => {
      if (is === "if_not_exists") return { is, path: this.path(), otherwise: this.#further() }
      return { is, terms: [this.#simpleTerm(), this.#further()] }
    })
  }

  #further(): Term {
    this.#must(",")
    return this.#simpleTerm()
  }

  #chain(is: "AND" | "OR", read: () => Condition): Condition {
    const sides = [read()]
    while (this.#takeOperator(is)) sides.push(read())
    return sides.length > 1 ? { is, sides } : sides[0]!
  }

  #negation(): Condition {
    if (this.#takeOperator("NOT")) return { is: "NOT", sides: [this.#negation()] }
    if (this.#peek(0) !== "(") return this.#test()
    const condition = this.#enclosing(() => this.condition())
    if (condition === this.#enclosed) throw this.#wrong("The expression has redundant parentheses;")
    this.#enclosed = condition
    return condition
  }

  #test(): Test {
    if (this.#peek(1) === "(" && this.#peek(0) !== "size") return this.#call()
    const left = this.#operand()
    if (this.#takeOperator("BETWEEN")) {
      const low = this.#operand()
      this.#must("AND")
      return { is: "test", by: "BETWEEN", operands: [left, low, this.#operand()] }
    }
    if (this.#takeOperator("IN")) {
      const among = this.#operands()
      if (among.length > most.among)
        throw this.#wrong(
          `The IN operator is provided with too many operands; number of operands: ${among.length}`,
        )
      return { is: "test", by: "IN", operands: [left, ...among] }
    }
    const by = comparators.find((one) => this.#takeOperator(one))
    if (!by) throw this.#unexpected()
    return { is: "test", by, operands: [left, this.#operand()] }
  }

  #call(): Test {
    const by = this.#function()
    if (!isFunction(by)) throw this.#wrong(`Invalid function name; function: ${by}`)
    const operands = this.#operands()
    if (operands.length !== functions[by])
      throw this.#wrong(
        `Incorrect number of operands for operator or function; operator or function: ${by}, ` +
          `number of operands: ${operands.length}`,
      )
    if (by !== "begins_with" && operands[0]!.is !== "path")
      throw this.#wrong(`Operator or function requires a document path; operator or function: ${by}`)
    return { is: "test", by, operands }
  }

  #operands(): Operand[] {
    return this.#enclosing(() => this.listOf(() => this.#operand()))
  }

  #operand(): Operand {
    if (this.#peek(0) !== "size" || this.#peek(1) !== "(") return this.#pathOrValue()
    this.#function()
    return { is: "size", of: this.#enclosing(() => this.#pathOrValue()) }
  }

  #pathOrValue(): PathOrValue {
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

  #enclosing<Content>(read: () => Content): Content {
    this.#must("(")
    const content = read()
    this.#must(")")
    return content
  }

  #peek(ahead: number): string | undefined {
    return this.#tokens[this.#at + ahead]
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
    return this.#matching(/./)
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
    const next = this.#peek(0)
    if (next === undefined || !form.test(next)) throw this.#unexpected()
    this.#at++
    return next
  }

  #unexpected() {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).join(" ")
    return this.#wrong(`Syntax error; token: "${this.#peek(0) ?? "<EOF>"}", near: "${near}"`)
  }

  #wrong(why: string) {
    return invalid(`Invalid ${this.#kind}: ${why}`)
  }
}

function isFunction(name: string): name is keyof typeof functions {
  return Object.hasOwn(functions, name)
}
