import { expect, inject, test } from "vitest"
import { graphOf } from "../graph.ts"

const graph = graphOf(inject("production"))

test("no NAT, no load balancer, no address that is paid for by the hour, is made", () => {
  const dear = [
    "ec2/natGateway:NatGateway",
    "lb/loadBalancer:LoadBalancer",
    "ec2/eip:Eip",
    "ec2/instance:Instance",
  ]
  expect(dear.flatMap((type) => graph.all(type))).toEqual([])
})

test("the store and S3 are reached without charge from everywhere; KMS and SQS from the API, in two zones", () => {
  for (const name of ["DynamoDbGateway", "S3Gateway"])
    expect(graph.one("ec2/vpcEndpoint:VpcEndpoint", name)).toMatchObject({
      vpcEndpointType: "Gateway",
      routeTableIds: ["Outward", "Inward"],
    })
  for (const [name, service] of [
    ["KmsEndpoint", "kms"],
    ["SqsEndpoint", "sqs"],
  ] as const)
    expect(graph.one("ec2/vpcEndpoint:VpcEndpoint", name)).toMatchObject({
      vpcEndpointType: "Interface",
      serviceName: `com.amazonaws.eu-central-1.${service}`,
      subnetIds: ["ApiSubnet1", "ApiSubnet2"],
      privateDnsEnabled: true,
    })
  expect(graph.all("ec2/vpcEndpoint:VpcEndpoint")).toHaveLength(4)
})

test("the API's subnets have no way to the internet, the hosts' have", () => {
  expect(graph.one("ec2/routeTable:RouteTable", "Inward").routes).toEqual([])
  expect(graph.one("ec2/routeTable:RouteTable", "Outward").routes).toEqual([
    { cidrBlock: "0.0.0.0/0", gatewayId: "Internet" },
  ])
  const tables = graph
    .all("ec2/routeTableAssociation:RouteTableAssociation")
    .map(({ inputs }) => `${String(inputs.subnetId)} ${String(inputs.routeTableId)}`)
  expect(tables.toSorted()).toEqual([
    "ApiSubnet1 Inward",
    "ApiSubnet2 Inward",
    "HostSubnet1 Outward",
    "HostSubnet2 Outward",
  ])
  expect(graph.one("lambda/function:Function", "ApiFunction").vpcConfig).toEqual({
    subnetIds: ["ApiSubnet1", "ApiSubnet2"],
    securityGroupIds: ["ApiGroup"],
  })
  for (const name of [
    "StreamFunction",
    "DashboardFunction",
    "DashboardStreamFunction",
    "DeliveryFunction",
    "SweepFunction",
  ])
    expect(graph.one("lambda/function:Function", name)).not.toHaveProperty("vpcConfig")
})

test("hosts are reached by the API alone, at one port", () => {
  const rules = graph.all("vpc/securityGroupIngressRule:SecurityGroupIngressRule").map(({ inputs }) => inputs)
  expect(rules.toSorted((a, b) => Number(a.fromPort) - Number(b.fromPort))).toEqual([
    {
      ipProtocol: "tcp",
      fromPort: 443,
      toPort: 443,
      securityGroupId: "EndpointsGroup",
      referencedSecurityGroupId: "ApiGroup",
    },
    {
      ipProtocol: "tcp",
      fromPort: 8080,
      toPort: 8080,
      securityGroupId: "HostsGroup",
      referencedSecurityGroupId: "ApiGroup",
    },
  ])
  expect(graph.one("ec2/defaultSecurityGroup:DefaultSecurityGroup", "Unused")).toMatchObject({
    ingress: [],
    egress: [],
  })
  for (const { inputs } of graph.all("ec2/securityGroup:SecurityGroup"))
    expect(inputs).not.toHaveProperty("ingress")
})

test("the API reaches hosts, two services, the store and S3, and nothing else", () => {
  const rules = graph
    .all("vpc/securityGroupEgressRule:SecurityGroupEgressRule")
    .map(({ inputs }) => inputs)
    .filter((rule) => rule.securityGroupId === "ApiGroup")
  expect(rules.map((rule) => rule.referencedSecurityGroupId ?? rule.prefixListId)).toEqual(
    expect.arrayContaining(["HostsGroup", "EndpointsGroup", "pl-DynamoDbGateway", "pl-S3Gateway"]),
  )
  expect(rules).toHaveLength(4)
})
