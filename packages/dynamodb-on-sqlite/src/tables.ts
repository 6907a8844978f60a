import type { z } from "zod"
import type { Keeper } from "./keeper.ts"
import { invalid, Refusal } from "./refusal.ts"
import { type Definition, description, type Table, tableOf, type TimeToLive } from "./table.ts"

/** The tables of a store, and the changes of them. */
export class Tables {
  readonly #keeper: Keeper
  readonly #known = new Map<string, Table>()

  /** `stored`: those that there are. */
  constructor(keeper: Keeper, stored: Definition[]) {
    this.#keeper = keeper
    for (const definition of stored) this.#know(tableOf(definition))
  }

  /** @throws Refusal if there is no table of this name */
  get(name: unknown): Table {
    const table = this.#known.get(String(name))
    if (!table) throw new Refusal("ResourceNotFoundException", "Requested resource not found")
    return table
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
    await this.#keeper.create(table)
    this.#know(table)
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
    await this.#keeper.redefine(table)
    this.#know(table)
    return { TimeToLiveSpecification: asked }
  }

  #know(table: Table): void {
    this.#known.set(table.definition.TableName, table)
  }
}
