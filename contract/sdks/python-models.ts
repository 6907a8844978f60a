import type { Document, Schema } from "#contract/openapi.ts"
import { doc, head, literal, pascal } from "./python-text.ts"

/** Fields that `repr` does not show: who sees one could call, link a phone, join, or sign. */
const secret = /\.(?:webhook_secret|secret|key|fields|code)$|^LinkSession\.url$|^GroupInvite\.link$/

export type Models = ReturnType<typeof modelsOf>

/** The classes of all schemas. A schema in another gets a name of its own. */
export function modelsOf(document: Document) {
  const { Error: _, ...schemas } = document.components.schemas
  const made = new Map<string, string>()
  const byShape = new Map<string, string>()

  /**
   * A schema as a type. @param name of the class, if it needs one. @throws Error for one that has no type
   * here
   */
  function typeOf(schema: Schema, name: string): string {
    if (schema.$ref) return named(schema.$ref.split("/").at(-1)!)
    if (schema.enum) {
      const values = schema.enum.filter((one) => one !== null)
      return `Literal[${values.map(literal).join(", ")}]${schema.enum.length > values.length ? " | None" : ""}`
    }
    if (schema.allOf) {
      const [only, ...others] = schema.allOf.filter((one) =>
        Object.keys(one).some((key) => key !== "description"),
      )
      if (others.length === 0) return typeOf(only!, name)
    }
    return [schema.type ?? "object"]
      .flat()
      .map((type) => typeNamed(type, schema, name))
      .join(" | ")
  }

  function typeNamed(type: string, schema: Schema & { additionalProperties?: Schema }, name: string): string {
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
        return `List[${typeOf(schema.items!, name.replace(/s$/, ""))}]` // an array's schema says of what
      case "object":
        break
      default:
        throw new Error(`there is no type for ${JSON.stringify(schema)}`)
    }
    if (schema.properties) return inner(schema, name)
    const values = schema.additionalProperties
    return `dict[str, ${values && Object.keys(values).length > 0 ? typeOf(values, name) : "object"}]`
  }

  /** The name of a component, whose class is made if it is not there yet. */
  function named(name: string): string {
    const schema = schemas[name]!
    if (!made.has(name)) {
      made.set(name, "") // it may be in itself
      const own = schema.allOf?.find(({ properties }) => properties)
      const base = schema.allOf
        ?.find(({ $ref }) => $ref)
        ?.$ref?.split("/")
        .at(-1)
      const text = schema.enum
        ? `${name} = ${typeOf(schema, name)}\n`
        : classOf(name, own ?? schema, base && named(base), schema.description)
      // Python reads from top to bottom: the types inside a type come before it.
      made.delete(name)
      made.set(name, text)
    }
    if (hasUnion(schema)) return `${name}[Event]`
    return [schema.type].flat().includes("null") ? `${name} | None` : name
  }

  function inner(schema: Schema, name: string): string {
    const key = shapeOf(schema)
    const known = byShape.get(key)
    if (known !== undefined) return known
    byShape.set(key, name)
    made.set(name, classOf(name, schema))
    return name
  }

  function classOf(name: string, schema: Schema, base = "Model", about = schema.description): string {
    const stem = schema.properties?.event ? name.replace(/Event$/, "") : name
    const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => {
      const type = one.oneOf ? "E" : typeOf(one, `${stem}${pascal(field)}`)
      const isRequired = schema.required?.includes(field)
      const shown = secret.test(`${name}.${field}`) && !/^(?:Literal|List)/.test(type)
      const options = [!isRequired && shown && "default=None", shown && "repr=False"].filter(Boolean)
      const value = shown ? ` = Field(${options.join(", ")})` : isRequired ? "" : " = None"
      const described = describedIn(one)
      return `    ${field}: ${isRequired || isNullable(type) ? type : `${type} | None`}${value}\n${described ? `    ${doc(described)}\n` : ""}`
    })
    const bases = hasUnion(schema) ? `${base}, Generic[E]` : base
    return `class ${name}(${bases}):\n${about ? `    ${doc(about)}\n\n` : ""}${fields.join("") || "    pass\n"}`
  }

  /** A value of this type, as a program writes it. @param name of the class, as `typeOf` takes it */
  function valueOf(value: unknown, schema: Schema, name: string): string {
    if (Array.isArray(value))
      // An array's schema says of what.
      return `[${value.map((one) => valueOf(one, schema.items!, name.replace(/s$/, ""))).join(", ")}]`
    if (typeof value !== "object" || value === null) return value === null ? "None" : literal(value)
    const type = typeOf(schema, name).replace(/ \| None$/, "")
    if (type.startsWith("dict[")) return JSON.stringify(value)
    const { properties = {} } = schemas[type] ?? schema
    const fields = Object.entries(value).map(
      ([field, one]) => `${field}=${valueOf(one, properties[field]!, `${type}${pascal(field)}`)}`,
    )
    return `types.${type}(${fields.join(", ")})`
  }

  Object.keys(schemas).forEach(named)
  const events = Object.values(schemas)
    .flatMap(({ properties }) => properties?.event?.oneOf ?? [])
    .map(({ $ref }) => $ref!.split("/").at(-1)!)
  for (const [name, schema] of Object.entries(schemas))
    if (schema.properties) byShape.set(shapeOf(schema), name)

  return {
    typeOf,
    valueOf,
    names: () => [...made.keys(), "Event"],
    module: () =>
      [
        head,
        "from __future__ import annotations\n\nfrom typing import Annotated, Generic, List, Literal, TypeVar\n",
        "from pydantic import Field, PlainValidator\n\nfrom ._model import Model, event_in\n",
        'E = TypeVar("E", bound=Model)\n\n',
        [...made.values()].join("\n\n"),
        `\nEvent = Annotated[\n    ${events.join("\n    | ")},\n    PlainValidator(event_in),\n]`,
        `${doc("Any event. Its field `event` says of which type it is.")}\n`,
      ].join("\n"),
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
