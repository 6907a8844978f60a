import { expect, inject, test } from "vitest"
import { graphOf } from "../graph.ts"

const graph = graphOf(inject("production"))

test("no endpoint is paid for: hosts reach the store and S3 by gateways, without charge", () => {
  const endpoints = graph.all("ec2/vpcEndpoint:VpcEndpoint")
  expect(endpoints.map(({ name }) => name).toSorted()).toEqual(["DynamoDbGateway", "S3Gateway"])
  for (const { inputs } of endpoints)
    expect(inputs).toMatchObject({ vpcEndpointType: "Gateway", routeTableIds: ["Outward"] })
})

test("the subnets of the function that calls hosts have no way to the internet, the hosts' have", () => {
  expect(graph.one("ec2/routeTable:RouteTable", "Inward").routes).toEqual([])
  expect(graph.one("ec2/routeTable:RouteTable", "Outward").routes).toEqual([
    { cidrBlock: "0.0.0.0/0", gatewayId: "Internet" },
  ])
  const tables = graph
    .all("ec2/routeTableAssociation:RouteTableAssociation")
    .map(({ inputs }) => `${String(inputs.subnetId)} ${String(inputs.routeTableId)}`)
  expect(tables.toSorted()).toEqual([
    "CallsSubnet1 Inward",
    "CallsSubnet2 Inward",
    "HostSubnet1 Outward",
    "HostSubnet2 Outward",
  ])
  expect(graph.one("lambda/function:Function", "CallsFunction").vpcConfig).toEqual({
    subnetIds: ["CallsSubnet1", "CallsSubnet2"],
    securityGroupIds: ["CallsGroup"],
  })
  for (const name of [
    "ApiFunction",
    "StreamFunction",
    "TransferFunction",
    "DashboardFunction",
    "DashboardStreamFunction",
    "DeliveryFunction",
    "SweepFunction",
    "TroublesFunction",
  ])
    expect(graph.one("lambda/function:Function", name)).not.toHaveProperty("vpcConfig")
})

test("hosts are reached by the function that calls them alone, at one port", () => {
  const rules = graph.all("vpc/securityGroupIngressRule:SecurityGroupIngressRule").map(({ inputs }) => inputs)
  expect(rules).toEqual([
    {
      ipProtocol: "tcp",
      fromPort: 8080,
      toPort: 8080,
      securityGroupId: "HostsGroup",
      referencedSecurityGroupId: "CallsGroup",
    },
  ])
  expect(graph.one("ec2/defaultSecurityGroup:DefaultSecurityGroup", "Unused")).toMatchObject({
    ingress: [],
    egress: [],
  })
  for (const { inputs } of graph.all("ec2/securityGroup:SecurityGroup"))
    expect(inputs).not.toHaveProperty("ingress")
})

test("that function reaches hosts, and nothing else", () => {
  const rules = graph
    .all("vpc/securityGroupEgressRule:SecurityGroupEgressRule")
    .map(({ inputs }) => inputs)
    .filter((rule) => rule.securityGroupId === "CallsGroup")
  expect(rules.map((rule) => [rule.referencedSecurityGroupId, rule.fromPort, rule.toPort])).toEqual([
    ["HostsGroup", 8080, 8080],
  ])
})
