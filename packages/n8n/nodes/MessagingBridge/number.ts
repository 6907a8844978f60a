import type { INodeProperties } from "n8n-workflow"

/** Where the service answers, as an expression. */
export const baseURL = '={{$credentials.url.replace(/\\/+$/, "")}}'

/**
 * The request settings of the declarative node. The trigger must not have them: n8n would then send a request
 * each time it starts a workflow.
 */
export const requestDefaults = { baseURL, headers: { Accept: "application/json" } }

export const number: INodeProperties = {
  displayName: "Number Name or ID",
  name: "number",
  type: "options",
  required: true,
  default: "",
  description:
    'The number, by the reference of its bridge. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
  typeOptions: {
    loadOptions: {
      routing: {
        request: { baseURL, method: "GET", url: "/api/instances" },
        output: {
          postReceive: [
            {
              type: "setKeyValue",
              properties: {
                name: "={{$responseItem.customer_ref}}",
                value: "={{$responseItem.customer_ref}}",
              },
            },
          ],
        },
      },
    },
  },
}
