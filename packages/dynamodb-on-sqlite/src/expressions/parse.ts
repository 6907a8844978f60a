import { LRUCache } from "lru-cache"
import { invalid } from "../refusal.ts"
import type { Path } from "./path.ts"
import { reservedWords } from "./reserved-words.ts"

// Only what the service sends is here. DynamoDB's other expressions are refused as if they could not be read.

/** The name in a path keeps its `#` here, if it stands for another. */
export type Operand = { is: "path" | "size"; path: Path } | { is: "value"; name: string }

const comparators = ["=", "<>", "<", "<=", ">", ">="] as const
type Comparator = (typeof comparators)[number]
export type Operator = Comparator | "IN" | "attribute_exists" | "attribute_not_exists"

/** What an operator or a function says of its operands. */
export interface Test {
  is: "test"
  by: Operator
  operands: Operand[]
}
export type Condition = Test | { is: "AND" | "OR"; sides: Condition[] }

/** What a query says of one part of a key. */
export interface KeyTest {
  by: Exclude<Comparator, "<>"> | "BETWEEN" | "begins_with"
  name: string
  values: string[]
}

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

/**
 * An expression that was parsed, the member of the request that it is (`kind`), and the placeholders that it
 * uses.
 */
export interface Parsed<Tree> {
  kind: string
  tree: Tree
  names: Set<string>
  values: Set<string>
}

/** @throws Refusal that names the expression, like all of these */
export const parseCondition = remembering((parser) => parser.condition())
export const parseUpdate = remembering((parser) => parser.update())
export const parseKeyCondition = remembering((parser) => parser.keyCondition())
export const parseProjection = remembering((parser) => parser.listOf(() => parser.name()))

/** Remembers what was parsed: a service sends a few dozen expressions, with other values each time. */
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

const token = /\s*(?:([A-Za-z][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+)|(\d+)|(<>|<=|>=|[=<>()[\],+-])|$)/y

class Parser {
  readonly names = new Set<string>()
  readonly values = new Set<string>()
  readonly #kind: string
  readonly #tokens: string[] = []
  #at = 0
  /** The condition that was read last between parentheses. */
  #enclosed: Condition | undefined

  constructor(kind: string, text: string) {
    this.#kind = kind
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
    return this.#chain("OR", () => this.#chain("AND", () => this.#side()))
  }

  keyCondition(): KeyTest[] {
    const tests = [this.#keyTest()]
    while (this.#take("AND")) tests.push(this.#keyTest())
    return tests
  }

  update(): Update {
    const update: Update = { SET: [], REMOVE: [], ADD: [] }
    while (this.#at < this.#tokens.length) {
      if (this.#take("SET")) this.#fill("SET", update.SET, () => this.#assignment())
      else if (this.#take("REMOVE")) this.#fill("REMOVE", update.REMOVE, () => ({ path: this.path() }))
      else if (this.#take("ADD"))
        this.#fill("ADD", update.ADD, () => ({ path: { name: this.name() }, value: this.#value() }))
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
    const name = this.name()
    if (!this.#take("[")) return { name }
    const at = Number(this.#matching(/^\d+$/))
    this.#must("]")
    return { name, at }
  }

  name(): string {
    const name = this.#matching(/^[#A-Za-z]/)
    if (name.startsWith("#")) this.names.add(name)
    else if (reservedWords.has(name.toUpperCase()))
      throw this.#wrong(`Attribute name is a reserved keyword; reserved keyword: ${name}`)
    return name
  }

  #fill<One>(clause: string, list: One[], read: () => One): void {
    if (list.length > 0)
      throw this.#wrong(`The "${clause}" section can only be used once in an update expression;`)
    list.push(...this.listOf(read))
  }

  #assignment() {
    const path = { name: this.name() }
    this.#must("=")
    return { path, term: this.#term() }
  }

  #term(): Term {
    const left = this.#simpleTerm()
    const sign = (["+", "-"] as const).find((one) => this.#take(one))
    return sign ? { is: sign, terms: [left, this.#simpleTerm()] } : left
  }

  #simpleTerm(): Term {
    if (this.#peek(1) !== "(") return this.#operand()
    const is = this.#matching(/./)
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
    while (this.#take(is)) sides.push(read())
    return sides.length > 1 ? { is, sides } : sides[0]!
  }

  #side(): Condition {
    if (this.#peek(0) !== "(") return this.#test()
    const condition = this.#enclosing(() => this.condition())
    if (condition === this.#enclosed) throw this.#wrong("The expression has redundant parentheses;")
    this.#enclosed = condition
    return condition
  }

  #test(): Test {
    for (const by of ["attribute_exists", "attribute_not_exists"] as const)
      if (this.#peek(0) === by) {
        this.#matching(/./)
        return { is: "test", by, operands: [this.#enclosing(() => ({ is: "path", path: this.path() }))] }
      }
    const left = this.#operand()
    if (this.#take("IN")) {
      const among = this.#enclosing(() => this.listOf(() => this.#operand()))
      return { is: "test", by: "IN", operands: [left, ...among] }
    }
    return { is: "test", by: this.#comparator(), operands: [left, this.#operand()] }
  }

  #keyTest(): KeyTest {
    if (this.#peek(0) === "begins_with") {
      this.#matching(/./)
      return this.#enclosing(() => {
        const name = this.name()
        this.#must(",")
        return { by: "begins_with", name, values: [this.#value()] }
      })
    }
    const name = this.name()
    if (!this.#take("BETWEEN")) {
      const by = this.#comparator()
      if (by === "<>") throw this.#wrong("A key has no <>")
      return { by, name, values: [this.#value()] }
    }
    const low = this.#value()
    this.#must("AND")
    return { by: "BETWEEN", name, values: [low, this.#value()] }
  }

  #comparator(): Comparator {
    const by = comparators.find((one) => this.#take(one))
    if (!by) throw this.#unexpected()
    return by
  }

  #operand(): Operand {
    if (this.#peek(0)?.startsWith(":")) return { is: "value", name: this.#value() }
    if (this.#peek(0) !== "size" || this.#peek(1) !== "(") return { is: "path", path: this.path() }
    this.#matching(/./)
    return { is: "size", path: this.#enclosing(() => this.path()) }
  }

  #value(): string {
    const name = this.#matching(/^:/)
    this.values.add(name)
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
