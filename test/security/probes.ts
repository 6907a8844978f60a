/**
 * What strangers try at every port: whatever a service on this machine has ever answered there, and what a
 * browser can send.
 */
export interface Probe {
  method: "GET" | "POST"
  path: string
  headers?: Record<string, string>
  body?: string
}

const awsAction = (target: string, body: object): Probe => ({
  method: "POST",
  path: "/",
  headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": target },
  body: JSON.stringify(body),
})

const runsCode = {
  count: 1,
  taskDefinition: "session-host",
  clientToken: "stranger",
  overrides: {
    containerOverrides: [
      {
        name: "session-host",
        environment: [{ name: "NODE_OPTIONS", value: "--import=data:text/javascript,0" }],
      },
    ],
  },
}

export const probes: Probe[] = [
  { method: "GET", path: "/" },
  awsAction("DynamoDB_20120810.Scan", { TableName: "Accounts" }),
  awsAction("TrentService.GenerateDataKey", { KeyId: "session", KeySpec: "AES_256" }),
  awsAction("AmazonEC2ContainerServiceV20141113.RunTask", runsCode),
  awsAction("AmazonEC2ContainerServiceV20141113.ListTasks", { desiredStatus: "RUNNING" }),
  awsAction("AmazonSQS.SendMessage", { MessageGroupId: "stranger", MessageBody: "{}" }),
  { method: "GET", path: "/proxy/status", headers: { authorization: "Host e30.AAAA" } },
  { method: "GET", path: "/phones" },
  { method: "POST", path: "/phones", body: '{"name":"Mallory"}' },
  { method: "POST", path: "/admin/mock-phone/scan-qr", body: "2@stranger" },
  { method: "POST", path: "/mms/image/stranger?auth=simulated", body: "stranger" },
  { method: "GET", path: "/v1/customers/stranger", headers: { authorization: "Bearer sk_test_pretend" } },
  { method: "POST", path: "/advance", body: "days=30" },
  { method: "GET", path: "/metrics" },
]

/** Where clients of the messaging network open their socket. */
export const socketPath = "/ws/chat"
