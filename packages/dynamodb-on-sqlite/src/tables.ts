import type { z } from "zod"
import { invalid, Refusal } from "./refusal.ts"
import type { Step } from "./rows/commit.ts"
import type { Rows } from "./rows/rows.ts"
import {
  creationSteps,
  Definition,
  description,
  rowOf,
  type Table,
  tableOf,
  type TimeToLive,
} from "./table.ts"

/** The tables of a store, and the changes of them. */
export class Tables {
  readonly #rows: Rows
  readonly #known = new Map<string, Table>()

  /** Reads what is stored of them. */
  constructor(rows: Rows) {
    this.#rows = rows
    for (const { definition } of rows.ask("SELECT definition FROM tables"))
      this.#know(tableOf(Definition.parse(JSON.parse(definition as string))))
  }

  /** @throws Refusal if there is no table of this name */
  get(name: unknown): Table {
    const table = this.#known.get(String(name))
    if (!table) throw new Refusal("ResourceNotFoundException", "Requested resource not found")
    return table
  }

  [Symbol.iterator](): Iterator<Table> {
    return this.#known.values()
  }

  /** The time to live of a table, as DescribeTimeToLive shows it. */
  timeToLive(name: string): object {
    const { timeToLive: attribute } = this.get(name).definition
    return {
      TimeToLiveDescription: attribute
        ? { AttributeName: attribute, TimeToLiveStatus: "ENABLED" }
        : { TimeToLiveStatus: "DISABLED" },
    }
  }

  /** CreateTable. The table is active at once. */
  async create(definition: Definition): Promise<object> {
    if (this.#known.has(definition.TableName))
      throw new Refusal("ResourceInUseException", `Table already exists: ${definition.TableName}`)
    const table = tableOf(definition)
    await this.#change(table, [table, ...table.indexes].flatMap(creationSteps))
    return { TableDescription: description(table) }
  }

  /**
   * UpdateTimeToLive: from now on this attribute says when an item expires, also of the items that are there.
   */
  async setTimeToLive({
    TableName,
    TimeToLiveSpecification: asked,
  }: z.infer<typeof TimeToLive>): Promise<object> {
    const { timeToLive: earlier, ...definition } = this.get(TableName).definition
    if (asked.Enabled && earlier !== undefined) throw invalid("TimeToLive is already enabled")
    const table = tableOf({ ...definition, ...(asked.Enabled && { timeToLive: asked.AttributeName }) })
    await this.#change(table, [])
    const items = [...this.#rows.select(table, "", [])]
    await this.#rows.write(items.map((item) => rowOf(table, item)))
    return { TimeToLiveSpecification: asked }
  }

  #know(table: Table): void {
    this.#known.set(table.definition.TableName, table)
  }

  async #change(table: Table, steps: Step[]): Promise<void> {
    const { TableName: name } = table.definition
    const text = JSON.stringify(table.definition)
    await this.#rows.change([...steps, ["INSERT OR REPLACE INTO tables VALUES (?, ?)", name, text]])
    this.#know(table)
  }
}
