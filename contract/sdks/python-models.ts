import type { Document, Schema } from "#contract/openapi.ts"
import { doc, head, literal, nameOf, pascal } from "./python-text.ts"

/**
 * Fields that `repr` does not show: a person who sees one could call, link a phone, join, or sign.
 */
const secret = /\.(?:webhook_secret|secret|key|fields|code)$|^LinkSession\.url$|^GroupInvite\.link$/

/** The classes of all schemas. A schema in another gets a name of its own. */
export class Models {
  readonly #schemas: Record<string, Schema>
  readonly #made = new Map<string, string>()
  readonly #byShape = new Map<string, string>()

  constructor(document: Document) {
    const { Error: _, ...schemas } = document.components.schemas
    this.#schemas = schemas
    for (const name of Object.keys(schemas)) this.#named(name)
    for (const [name, schema] of Object.entries(schemas))
      if (schema.properties) this.#byShape.set(shapeOf(schema), name)
  }

  /** The names of all classes. */
  get names(): string[] {
    return [...this.#made.keys(), "Event"]
  }

  /** The module with all classes. */
  get module(): string {
    const events = Object.values(this.#schemas)
      .flatMap(({ properties }) => properties?.event?.oneOf ?? [])
      .map(({ $ref }) => $ref!.split("/").at(-1)!)
    return [
      head,
      "from __future__ import annotations\n\nfrom typing import Annotated, Generic, List, Literal, TypeVar\n",
      "from pydantic import Field, PlainValidator\n\nfrom ._model import Model, event_in\n",
      'E = TypeVar("E", bound=Model)\n\n',
      [...this.#made.values()].join("\n\n"),
      `\nEvent = Annotated[\n    ${events.join("\n    | ")},\n    PlainValidator(event_in),\n]`,
      `${doc("Any event. Its field `event` says of which type it is.")}\n`,
    ].join("\n")
  }

  /**
   * A schema as a type. @param name of the class, if it needs one. @throws Error for one that has no type
   * here
   */
  typeOf(schema: Schema, name: string): string {
    if (schema.$ref) return this.#named(schema.$ref.split("/").at(-1)!)
    if (schema.enum) {
      const values = schema.enum.filter((one) => one !== null)
      return `Literal[${values.map(literal).join(", ")}]${schema.enum.length > values.length ? " | None" : ""}`
    }
    if (schema.allOf) {
      const [only, ...others] = schema.allOf.filter((one) =>
        Object.keys(one).some((key) => key !== "description"),
      )
      if (others.length === 0) return this.typeOf(only!, name)
    }
    return [schema.type ?? "object"]
      .flat()
      .map((type) => this.#typeNamed(type, schema, name))
      .join(" | ")
  }

  #typeNamed(type: string, schema: Schema & { additionalProperties?: Schema }, name: string): string {
    switch (type) {
      case "string":
        return "str"
      case "boolean":
        return "bool"
      case "null":
        return "None"
      case "number":
        return "float"
      case "integer":
        return "int"
      case "array":
        return `List[${this.typeOf(schema.items!, name.replace(/s$/, ""))}]` // an array's schema says of what
      case "object":
        break
      default:
        throw new Error(`there is no type for ${JSON.stringify(schema)}`)
    }
    if (schema.properties) return this.#inner(schema, name)
    const values = schema.additionalProperties
    return `dict[str, ${values && Object.keys(values).length > 0 ? this.typeOf(values, name) : "object"}]`
  }

  /** The name of a component, whose class is made if it is not there yet. */
  #named(name: string): string {
    const schema = this.#schemas[name]!
    if (!this.#made.has(name)) {
      this.#made.set(name, "") // it may be in itself
      const own = schema.allOf?.find(({ properties }) => properties)
      const base = schema.allOf
        ?.find(({ $ref }) => $ref)
        ?.$ref?.split("/")
        .at(-1)
      const text = schema.enum
        ? `${name} = ${this.typeOf(schema, name)}\n`
        : this.#classOf(name, own ?? schema, base && this.#named(base), schema.description)
      // Python reads from top to bottom: the types inside a type come before it.
      this.#made.delete(name)
      this.#made.set(name, text)
    }
    if (hasUnion(schema)) return `${name}[Event]`
    return [schema.type].flat().includes("null") ? `${name} | None` : name
  }

  #inner(schema: Schema, name: string): string {
    const key = shapeOf(schema)
    const known = this.#byShape.get(key)
    if (known !== undefined) return known
    this.#byShape.set(key, name)
    this.#made.set(name, this.#classOf(name, schema))
    return name
  }

  #classOf(name: string, schema: Schema, base = "Model", about = schema.description): string {
    const stem = schema.properties?.event ? name.replace(/Event$/, "") : name
    const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => {
      const type = one.oneOf ? "E" : this.typeOf(one, `${stem}${pascal(field)}`)
      const isRequired = schema.required?.includes(field)
      const shown = secret.test(`${name}.${field}`) && !/^(?:Literal|List)/.test(type)
      const isRenamed = nameOf(field) !== field
      const options = [
        !isRequired && "default=None",
        isRenamed && `alias="${field}"`,
        shown && "repr=False",
      ].filter(Boolean)
      const value = shown || isRenamed ? ` = Field(${options.join(", ")})` : isRequired ? "" : " = None"
      const described = describedIn(one)
      return `    ${nameOf(field)}: ${isRequired || isNullable(type) ? type : `${type} | None`}${value}\n${described ? `    ${doc(described)}\n` : ""}`
    })
    const bases = hasUnion(schema) ? `${base}, Generic[E]` : base
    return `class ${name}(${bases}):\n${about ? `    ${doc(about)}\n\n` : ""}${fields.join("") || "    pass\n"}`
  }

  /** A value of this type, as a program writes it. @param name of the class, as `typeOf` takes it */
  valueOf(value: unknown, schema: Schema, name: string): string {
    if (Array.isArray(value))
      // An array's schema says of what.
      return `[${value.map((one) => this.valueOf(one, schema.items!, name.replace(/s$/, ""))).join(", ")}]`
    if (typeof value !== "object" || value === null) return value === null ? "None" : literal(value)
    const type = this.typeOf(schema, name).replace(/ \| None$/, "")
    if (type.startsWith("dict[")) return JSON.stringify(value)
    const { properties = {} } = this.#schemas[type] ?? schema
    const fields = Object.entries(value).map(
      ([field, one]) => `${field}=${this.valueOf(one, properties[field]!, `${type}${pascal(field)}`)}`,
    )
    return `types.${type}(${fields.join(", ")})`
  }
}

/** The same for schemas that differ in words alone. */
function shapeOf(schema: Schema): string {
  return JSON.stringify(schema, (key, value: unknown) =>
    key === "description" && typeof value === "string" ? undefined : value,
  )
}

function hasUnion({ properties }: Schema): boolean {
  return properties?.event?.oneOf !== undefined
}

export function isNullable(type: string): boolean {
  return type.endsWith("| None")
}

/** The description of a field. One that refers to a schema may have its own beside the reference. */
export function describedIn({ description, allOf }: Schema): string | undefined {
  return description ?? allOf?.find((one) => one.description !== undefined)?.description
}
