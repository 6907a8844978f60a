export const vpc = new aws.ec2.Vpc("Network", {
  cidrBlock: "10.0.0.0/16",
  enableDnsSupport: true,
  enableDnsHostnames: true,
  tags: { Name: `${$app.name}-${$app.stage}` },
})

/** No resource uses this group. A resource that ends up in it by mistake reaches nothing. */
new aws.ec2.DefaultSecurityGroup("Unused", { vpcId: vpc.id, ingress: [], egress: [] })

const internet = new aws.ec2.InternetGateway("Internet", { vpcId: vpc.id })
/** The routes of subnets with a way to the internet. */
export const outward = new aws.ec2.RouteTable("Outward", {
  vpcId: vpc.id,
  routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }],
})
/** The routes of subnets without a way to the internet, in or out. */
export const inward = new aws.ec2.RouteTable("Inward", { vpcId: vpc.id, routes: [] })
