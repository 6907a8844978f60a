import { type Document, entriesOf, type Entry } from "../openapi.ts"

// The reference as collections for Postman and Bruno: one request for each call, with its example.

/** A collection as one file, for the service at this address.  */
type Collection = (document: Document, baseUrl: string) => object

/** By the name of its file. */
export const collections: Record<string, Collection> = {
  "postman.json": postman,
  "bruno.json": bruno,
}

function postman(document: Document, baseUrl: string): object {
  return {
    info: {
      name: document.info.title,
      description: document.info.description,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
    variable: Object.entries(variables(baseUrl)).map(([key, value]) => ({ key, value })),
    item: subjects(document).map(({ name, requests }) => ({ name, item: requests.map(inPostman) })),
  }
}

function inPostman(request: Request): object {
  const [path = ""] = request.url.split("?")
  return {
    name: request.name,
    request: {
      method: request.method,
      description: request.description,
      header: request.headers.map(({ name, value }) => ({ key: name, value })),
      url: {
        raw: request.url,
        host: ["{{url}}"],
        path: path.split("/").slice(1),
        query: request.query.map(({ name, value, enabled, description }) => ({
          key: name,
          value,
          description,
          disabled: !enabled,
        })),
        variable: request.variables.map(({ name, value }) => ({ key: name, value })),
      },
      ...(request.body !== undefined && {
        body: { mode: "raw", raw: request.body, options: { raw: { language: "json" } } },
      }),
    },
  }
}

function bruno(document: Document, baseUrl: string): object {
  const values = Object.entries(variables(baseUrl)).map(([name, value]) => ({
    name,
    value,
    secret: name === "key",
    enabled: true,
    type: "text",
  }))
  return {
    version: "1",
    name: document.info.title,
    root: {
      docs: document.info.description,
      request: { auth: { mode: "bearer", bearer: { token: "{{key}}" } } },
    },
    environments: [{ name: "service", variables: values }],
    items: subjects(document).map(({ name, requests }, i) => ({
      type: "folder",
      name,
      seq: i + 1,
      items: requests.map(inBruno),
    })),
  }
}

function inBruno(request: Request, i: number): object {
  return {
    type: "http",
    name: request.name,
    seq: i + 1,
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers.map((header) => ({ ...header, enabled: true })),
      params: [
        ...request.query.map((one) => ({ ...one, type: "query" })),
        ...request.variables.map((one) => ({ ...one, type: "path", enabled: true })),
      ],
      auth: { mode: "inherit" },
      body: request.body === undefined ? { mode: "none" } : { mode: "json", json: request.body },
      docs: request.description,
    },
  }
}

interface Request {
  name: string
  method: string
  /** `{{url}}/api/instances/:customer_ref?limit=10` */
  url: string
  description: string
  headers: { name: string; value: string }[]
  query: { name: string; value: string; enabled: boolean; description: string }[]
  variables: { name: string; value: string }[]
  body: string | undefined
}

/** What a person sets once: where the service is, the API key, and the bridge that is meant. */
function variables(url: string): Record<string, string> {
  return { url, key: "", bridge: "shop" }
}

/** The requests by their subject. */
function subjects(document: Document): { name: string; requests: Request[] }[] {
  return document.tags.map(({ name }) => ({
    name,
    requests: entriesOf(document)
      .filter(({ operation }) => operation.tags?.includes(name))
      .map(requestOf),
  }))
}

function value(example: unknown): string {
  return typeof example === "string" || typeof example === "number" ? String(example) : ""
}

function requestOf({ method, path, operation }: Entry): Request {
  const { operationId, summary, description = "", parameters = [], requestBody } = operation
  const body = requestBody?.content["application/json"]?.example
  const takesKey = parameters.some(({ name }) => name === "idempotency-key")
  const query = parameters
    .filter((one) => one.in === "query")
    .map(({ name, example, description: about, schema }) => ({
      name,
      value: value(example),
      enabled: example !== undefined,
      description: about ?? schema.description ?? "",
    }))
  const search = query.filter(({ enabled }) => enabled).map((one) => `${one.name}=${one.value}`)
  return {
    // A name becomes the name of a file.
    name: operationId,
    method: method.toUpperCase(),
    url: `{{url}}${path.replaceAll(/\{(\w+)\}/g, ":$1")}${search.length > 0 ? `?${search.join("&")}` : ""}`,
    description: `${summary}\n\n${description}`.trim(),
    // Postman and Bruno make another key each time: a message is sent as often as the button is pressed.
    headers: takesKey ? [{ name: "Idempotency-Key", value: "{{$guid}}" }] : [],
    query,
    variables: parameters
      .filter((one) => one.in === "path")
      .map(({ name, example }) => ({
        name,
        value: name === "customer_ref" ? "{{bridge}}" : value(example),
      })),
    body: body === undefined ? undefined : JSON.stringify(body, undefined, 2),
  }
}
