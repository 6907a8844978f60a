/** An answer that is not a success. */
export class Refusal extends Error {
  readonly status: number
  readonly body: Record<string, unknown>

  /** `about`: further members of the body. */
  constructor(name: string, message: string, about: Record<string, unknown> = {}, status = 400) {
    super(message)
    this.name = name
    this.status = status
    const space = outsideDynamoDb.get(name) ?? "com.amazonaws.dynamodb.v20120810"
    this.body = { __type: `${space}#${name}`, message, ...about }
  }
}

/** The errors that AWS's framework gives, not DynamoDB itself. */
const outsideDynamoDb = new Map([
  ["ValidationException", "com.amazon.coral.validate"],
  ["SerializationException", "com.amazon.coral.service"],
  ["UnknownOperationException", "com.amazon.coral.service"],
])

/** A request that DynamoDB would not carry out, whatever is stored. */
export function invalid(message: string): Refusal {
  return new Refusal("ValidationException", message)
}

/** The store could not write, now. The caller cannot tell it from an outage of DynamoDB, and tries again. */
export function unavailable(message: string): Refusal {
  return new Refusal("ServiceUnavailable", message, {}, 503)
}

/** The connection ended without an answer: it is not known whether the request was carried out. */
export class ConnectionLost extends Error {
  readonly code = "ECONNRESET"
}
