import type { Resource } from "../evaluate.ts"
import { plain } from "../graph.ts"

type Inputs = Record<string, unknown>
interface Counterpart {
  type: string
  /** What Pulumi's inputs are in CloudFormation, where that is not their names with a capital. */
  as?: (inputs: Inputs, at: Whole) => Inputs
}

/** The graph that a resource is of: some are a part of another one in CloudFormation. */
interface Whole {
  of: (type: string) => Resource[]
}

/**
 * What a deploy asks for as a CloudFormation template, for judges that read nothing else.
 * @returns also how many resources it has, and how many have no counterpart here, such as the secrets that
 * CloudFormation cannot make
 */
export function asCloudFormation(resources: Resource[]): { template: object; count: number; left: number } {
  const known = resources.map((one) => ({ ...one, type: one.type.replace(/^aws:/, "") }))
  const whole: Whole = { of: (type) => known.filter((one) => one.type === type) }
  const made: Inputs = {}
  let left = 0
  for (const { type, name, inputs } of known) {
    const counterpart = counterparts[type]
    if (!counterpart) {
      left += Number(!within.has(type))
      continue
    }
    const given = plainDeep(inputs) as Inputs
    const wanted = counterpart.as ? counterpart.as(given, whole) : capital(given)
    made[idOf(type.split(":").at(-1)!, name)] = { Type: counterpart.type, Properties: referring(wanted) }
  }
  const template = { AWSTemplateFormatVersion: "2010-09-09", Resources: made }
  return { template, count: Object.keys(made).length, left }
}

/** Resources that are a part of another one in CloudFormation. */
const within = new Set([
  "s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
  "s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
])

const counterparts: Record<string, Counterpart> = {
  "cloudfront/function:Function": {
    type: "AWS::CloudFront::Function",
    as: ({ name, code, runtime, keyValueStoreAssociations }) => ({
      Name: name,
      FunctionCode: code,
      FunctionConfig: {
        Comment: "",
        Runtime: runtime,
        KeyValueStoreAssociations: list(keyValueStoreAssociations).map((arn) => ({ KeyValueStoreARN: arn })),
      },
    }),
  },
  "cloudwatch/compositeAlarm:CompositeAlarm": { type: "AWS::CloudWatch::CompositeAlarm", as: withOkActions },
  "cloudwatch/dashboard:Dashboard": { type: "AWS::CloudWatch::Dashboard" },
  "cloudwatch/logGroup:LogGroup": { type: "AWS::Logs::LogGroup", as: renamed({ name: "LogGroupName" }) },
  "cloudwatch/metricAlarm:MetricAlarm": { type: "AWS::CloudWatch::Alarm", as: alarm },
  "dynamodb/table:Table": { type: "AWS::DynamoDB::Table", as: table },
  "ec2/internetGateway:InternetGateway": { type: "AWS::EC2::InternetGateway", as: () => ({}) },
  "ec2/routeTable:RouteTable": { type: "AWS::EC2::RouteTable", as: ({ vpcId }) => ({ VpcId: vpcId }) },
  "ec2/routeTableAssociation:RouteTableAssociation": { type: "AWS::EC2::SubnetRouteTableAssociation" },
  "ec2/securityGroup:SecurityGroup": {
    type: "AWS::EC2::SecurityGroup",
    as: renamed({ description: "GroupDescription" }),
  },
  "ec2/subnet:Subnet": { type: "AWS::EC2::Subnet", as: tagged },
  "ec2/vpc:Vpc": { type: "AWS::EC2::VPC", as: tagged },
  "ec2/vpcEndpoint:VpcEndpoint": { type: "AWS::EC2::VPCEndpoint" },
  "ecs/cluster:Cluster": {
    type: "AWS::ECS::Cluster",
    as: ({ name, ...others }) => tagged({ ...others, clusterName: name }),
  },
  "ecs/taskDefinition:TaskDefinition": { type: "AWS::ECS::TaskDefinition", as: task },
  "iam/policy:Policy": {
    type: "AWS::IAM::ManagedPolicy",
    as: ({ name, description, policy }) => ({
      ManagedPolicyName: name,
      Description: description,
      PolicyDocument: parsed(policy),
    }),
  },
  "iam/role:Role": {
    type: "AWS::IAM::Role",
    as: ({ assumeRolePolicy, inlinePolicies }) => ({
      AssumeRolePolicyDocument: parsed(assumeRolePolicy),
      Policies: list(inlinePolicies).map((one, i) => ({
        PolicyName: (one as Inputs).name ?? `inline-${i}`,
        PolicyDocument: parsed((one as Inputs).policy),
      })),
    }),
  },
  "kms/key:Key": { type: "AWS::KMS::Key", as: renamed({ deletionWindowInDays: "PendingWindowInDays" }) },
  "lambda/eventSourceMapping:EventSourceMapping": { type: "AWS::Lambda::EventSourceMapping" },
  "lambda/function:Function": { type: "AWS::Lambda::Function", as: lambda },
  "lambda/functionEventInvokeConfig:FunctionEventInvokeConfig": {
    type: "AWS::Lambda::EventInvokeConfig",
    as: (inputs) => ({ ...capital(inputs), Qualifier: "$LATEST" }),
  },
  "lambda/functionUrl:FunctionUrl": {
    type: "AWS::Lambda::Url",
    as: ({ authorizationType, functionName, invokeMode }) => ({
      AuthType: authorizationType,
      TargetFunctionArn: functionName,
      InvokeMode: invokeMode,
    }),
  },
  "lambda/permission:Permission": {
    type: "AWS::Lambda::Permission",
    as: ({ function: functionName, ...others }) => ({ ...capital(others), FunctionName: functionName }),
  },
  "route53/healthCheck:HealthCheck": {
    type: "AWS::Route53::HealthCheck",
    as: ({ enableSni, fqdn, tags, ...others }) => ({
      HealthCheckConfig: {
        ...capital(others),
        EnableSNI: enableSni,
        FullyQualifiedDomainName: fqdn,
      },
      HealthCheckTags: tagsOf(tags),
    }),
  },
  "s3/bucket:Bucket": { type: "AWS::S3::Bucket", as: bucket },
  "s3/bucketPolicy:BucketPolicy": {
    type: "AWS::S3::BucketPolicy",
    as: (given) => ({ Bucket: given.bucket, PolicyDocument: parsed(given.policy) }),
  },
  "scheduler/schedule:Schedule": { type: "AWS::Scheduler::Schedule" },
  "sns/topic:Topic": { type: "AWS::SNS::Topic" },
  "sns/topicPolicy:TopicPolicy": {
    type: "AWS::SNS::TopicPolicy",
    as: ({ arn, policy }) => ({ Topics: [arn], PolicyDocument: parsed(policy) }),
  },
  "sns/topicSubscription:TopicSubscription": {
    type: "AWS::SNS::Subscription",
    as: renamed({ topic: "TopicArn" }),
  },
  "sqs/queue:Queue": { type: "AWS::SQS::Queue", as: queue },
  "vpc/securityGroupEgressRule:SecurityGroupEgressRule": { type: "AWS::EC2::SecurityGroupEgress", as: rule },
  "vpc/securityGroupIngressRule:SecurityGroupIngressRule": {
    type: "AWS::EC2::SecurityGroupIngress",
    as: rule,
  },
}

function alarm({ dimensions, metricQueries, name, ...others }: Inputs): Inputs {
  const metric = ({ metric: of, ...query }: Inputs) => ({
    ...capital(query),
    ...(of !== undefined && statOf(of as Inputs)),
  })
  return {
    ...withOkActions(others),
    ...(name !== undefined && { AlarmName: name }),
    ...(dimensions !== undefined && { Dimensions: dimensionsOf(dimensions) }),
    ...(metricQueries !== undefined && { Metrics: list(metricQueries).map((one) => metric(one as Inputs)) }),
  }
}

function statOf({ period, stat, dimensions, ...metric }: Inputs): Inputs {
  const Metric = { ...capital(metric), Dimensions: dimensionsOf(dimensions) }
  return { MetricStat: { Metric, Period: period, Stat: stat } }
}

function dimensionsOf(of: unknown): object[] {
  return Object.entries((of as Inputs | undefined) ?? {}).map(([Name, Value]) => ({ Name, Value }))
}

function withOkActions({ okActions, ...others }: Inputs): Inputs {
  return { ...capital(others), ...(okActions !== undefined && { OKActions: okActions }) }
}

function table(inputs: Inputs): Inputs {
  const keys = ({ hashKey, rangeKey }: Inputs) => [
    { AttributeName: hashKey, KeyType: "HASH" },
    { AttributeName: rangeKey, KeyType: "RANGE" },
  ]
  const indexes = (list(inputs.globalSecondaryIndexes) as Inputs[]).map((one) => ({
    IndexName: one.name,
    KeySchema: keys(one),
    Projection: { ProjectionType: one.projectionType },
  }))
  const { attributeName, enabled } = (inputs.ttl ?? {}) as Inputs
  const recovery = inputs.pointInTimeRecovery as Inputs | undefined
  return {
    BillingMode: inputs.billingMode,
    AttributeDefinitions: (list(inputs.attributes) as Inputs[]).map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: keys(inputs),
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
    DeletionProtectionEnabled: inputs.deletionProtectionEnabled,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: recovery?.enabled },
    ...(attributeName !== undefined && {
      TimeToLiveSpecification: { AttributeName: attributeName, Enabled: enabled },
    }),
  }
}

function task({ containerDefinitions, ...others }: Inputs): Inputs {
  const containers = (parsed(containerDefinitions) as Inputs[]).map(({ logConfiguration, ...one }) => {
    const { logDriver, options } = (logConfiguration ?? {}) as Inputs
    return { ...capital(one), LogConfiguration: { LogDriver: logDriver, Options: options } }
  })
  // Pulumi's own.
  delete others.trackLatest
  return { ...capital(others), ContainerDefinitions: containers }
}

function lambda(inputs: Inputs): Inputs {
  const { name, s3Bucket, s3Key, environment, role, publish: _, loggingConfig, tags: __, ...others } = inputs
  const { variables } = (environment ?? {}) as Inputs
  return {
    ...capital(others),
    FunctionName: name,
    Role: role,
    Code: { S3Bucket: s3Bucket, S3Key: s3Key },
    Environment: { Variables: variables },
    ...(loggingConfig !== undefined && { LoggingConfig: capital(loggingConfig as Inputs) }),
  }
}

function bucket({ bucket: BucketName }: Inputs, { of }: Whole): Inputs {
  const [blocked] = of("s3/bucketPublicAccessBlock:BucketPublicAccessBlock")
  const [lifecycle] = of("s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration")
  const { bucket: _, ...block } = (blocked?.inputs ?? {}) as Inputs
  const Rules = (list(lifecycle?.inputs.rules) as Inputs[]).map((rule) => ({
    Id: rule.id,
    Status: rule.status,
    ExpirationInDays: (rule.expiration as Inputs | undefined)?.days,
    Prefix: (rule.filter as Inputs | undefined)?.prefix,
    ...(rule.abortIncompleteMultipartUpload !== undefined && {
      AbortIncompleteMultipartUpload: capital(rule.abortIncompleteMultipartUpload as Inputs),
    }),
  }))
  return {
    BucketName,
    PublicAccessBlockConfiguration: capital(block),
    ...(Rules.length > 0 && { LifecycleConfiguration: { Rules } }),
  }
}

function queue(inputs: Inputs): Inputs {
  const { name, delaySeconds, messageRetentionSeconds, visibilityTimeoutSeconds, redrivePolicy, ...others } =
    inputs
  return {
    ...capital(others),
    ...(name !== undefined && { QueueName: name }),
    DelaySeconds: delaySeconds,
    MessageRetentionPeriod: messageRetentionSeconds,
    VisibilityTimeout: visibilityTimeoutSeconds,
    ...(redrivePolicy !== undefined && { RedrivePolicy: parsed(redrivePolicy) }),
  }
}

function rule(
  { securityGroupId, cidrIpv4, referencedSecurityGroupId, ...others }: Inputs,
  at: Whole,
): Inputs {
  const isIngress = at
    .of("vpc/securityGroupIngressRule:SecurityGroupIngressRule")
    .some(({ inputs }) => inputs.securityGroupId === securityGroupId && inputs.fromPort === others.fromPort)
  const other = isIngress ? "SourceSecurityGroupId" : "DestinationSecurityGroupId"
  return {
    ...capital(others),
    GroupId: securityGroupId,
    ...(cidrIpv4 !== undefined && { CidrIp: cidrIpv4 }),
    ...(referencedSecurityGroupId !== undefined && { [other]: referencedSecurityGroupId }),
  }
}

function tagged({ tags, ...others }: Inputs): Inputs {
  return { ...capital(others), Tags: tagsOf(tags) }
}

function tagsOf(tags: unknown): object[] {
  return Object.entries((tags as Inputs | undefined) ?? {}).map(([Key, Value]) => ({ Key, Value }))
}

function renamed(names: Record<string, string>) {
  return (inputs: Inputs): Inputs => ({
    ...capital(Object.fromEntries(Object.entries(inputs).filter(([name]) => !(name in names)))),
    ...Object.fromEntries(Object.entries(names).map(([name, other]) => [other, inputs[name]])),
  })
}

/** With a capital at the beginning of each name, as CloudFormation has them. */
function capital(inputs: Inputs): Inputs {
  const deep = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(deep)
    return typeof value === "object" && value !== null ? capital(value as Inputs) : value
  }
  const { tags: _, ...others } = inputs
  return Object.fromEntries(
    Object.entries(others)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name[0]!.toUpperCase() + name.slice(1), deep(value)]),
  )
}

/** The kind of resource that a property names, whose id is its name here. */
const referred: Record<string, string> = {
  VpcId: "Vpc",
  SubnetId: "Subnet",
  SubnetIds: "Subnet",
  RouteTableId: "RouteTable",
  RouteTableIds: "RouteTable",
  GroupId: "SecurityGroup",
  SecurityGroupIds: "SecurityGroup",
  SourceSecurityGroupId: "SecurityGroup",
  DestinationSecurityGroupId: "SecurityGroup",
}

/** With references in place of the names of resources. */
function referring(value: unknown, kind?: string): unknown {
  if (typeof value === "string") return kind === undefined ? value : { Ref: idOf(kind, value) }
  if (Array.isArray(value)) return value.map((one) => referring(one, kind))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([property, one]) => [property, referring(one, referred[property])]),
  )
}

function idOf(kind: string, name: string): string {
  return `${kind}${name}`.replaceAll(/[^A-Za-z0-9]/g, "")
}

function parsed(text: unknown): unknown {
  return typeof text === "string" ? JSON.parse(text) : text
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function plainDeep(value: unknown): unknown {
  const open = plain(value)
  if (Array.isArray(open)) return open.map(plainDeep)
  if (typeof open !== "object" || open === null) return open
  return Object.fromEntries(Object.entries(open).map(([name, one]) => [name, plainDeep(one)]))
}
