import { type TSchema, Type } from 'typebox';
import * as types from '../../types/index.ts';

/** Values of a type: those that both the API server and the kind accept, and those that both refuse, by reason. */
export interface TypeCase {
  readonly schema: TSchema;
  readonly good: readonly unknown[];
  readonly bad: Readonly<Record<string, unknown>>;
}

const container = { name: 'web', image: 'nginx:1' };
const mount = { name: 'a', mountPath: '/a' };
const podSpec = { containers: [container] };
const inOne = { key: 'tier', operator: 'In', values: ['one'] };
const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' };
const nodeTerm = { matchExpressions: [inOne] };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: 1 } } };
const fraction = 0.5;

type Value = Exclude<keyof typeof types, 'secondsIn'>;

export const cases: Record<Value, TypeCase> = {
  Quantity: {
    schema: types.Quantity,
    good: ['500m', '2Gi', 3, '0.5', '1e3', '.5', '+1'],
    bad: {
      'a negative amount': '-1',
      'a negative number': -1,
      'an unknown unit': '2GB',
      'a fraction that is no string': fraction,
      'an empty text': '',
    },
  },
  IntOrString: {
    schema: types.IntOrString,
    good: [80, 'http', '25%', ''],
    bad: { 'a fraction': fraction, 'a boolean': true, 'more than 32 bits': 2 ** 31 },
  },
  IntOrPercent: {
    schema: types.IntOrPercent,
    good: [0, 3, '0%', '25%', '100%'],
    bad: {
      'a negative number': -1,
      'more than 32 bits': 2 ** 31,
      'a number in a text': '3',
      'more than all': '101%',
      'a name': 'a',
    },
  },
  Duration: {
    schema: types.Duration,
    good: ['90s', '1h30m', '1.5h', '250ms', '0s'],
    bad: {
      'a number': 90,
      'no unit': '90',
      'a unit of days': '1d',
      'a sign': '-1s',
      'no amount': '',
    },
  },
  Affinity: {
    schema: types.Affinity,
    good: [
      {},
      {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [nodeTerm] },
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: nodeTerm }],
        },
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
        },
      },
    ],
    bad: {
      'a key of matchLabels with a space': {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { ...term, labelSelector: { matchLabels: { 'a b': 'c' } } },
          ],
        },
      },

      'two values of Gt': {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] },
            ],
          },
        },
      },
      'a topologyKey that is no label': {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, topologyKey: 'a b' }],
        },
      },
      'a namespace with a capital': {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, namespaces: ['A'] }],
        },
      },

      'no term': {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
        },
      },
      'a weight beyond 100': {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: nodeTerm }],
        },
      },
      'no topologyKey': { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } },
      'a value of Exists': {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ ...inOne, operator: 'Exists' }] }],
          },
        },
      },
    },
  },
  ConfigMapKeySelector: {
    schema: types.ConfigMapKeySelector,
    good: [
      { name: 'a', key: 'b' },
      { name: 'a', key: 'b', optional: true },
    ],
    bad: {
      'a key with a slash': { name: 'a', key: 'b/c' },

      'no name': { key: 'b' },
      'an empty name': { name: '', key: 'b' },
      'no key': { name: 'a' },
    },
  },
  Container: {
    schema: types.Container,
    good: [
      container,
      {
        ...container,
        args: ['-v'],
        env: [{ name: 'A', value: '1' }],
        ports: [
          { name: 'http', containerPort: 80 },
          { containerPort: 80, protocol: 'UDP' },
        ],
        readinessProbe: { httpGet: { port: 'http' } },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        volumeMounts: [{ name: 'a', mountPath: '/tmp' }],
      },
    ],
    bad: {
      'a liveness probe that succeeds twice': {
        ...container,
        livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 },
      },
      'a grace period of a readiness probe': {
        ...container,
        readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 5 },
      },
      'an empty device path': { ...container, volumeDevices: [{ name: 'a', devicePath: '' }] },

      'no name': { image: 'nginx:1' },
      'a name that is no DNS label': { name: 'Web_1' },
      'an unknown policy': { ...container, imagePullPolicy: 'Sometimes' },
      'no handler': { ...container, lifecycle: { preStop: {} } },
    },
  },
  ContainerPort: {
    schema: types.ContainerPort,
    good: [{ containerPort: 80 }, { containerPort: 65_535, protocol: 'SCTP', hostPort: 0 }],
    bad: {
      'a name with a capital': { containerPort: 80, name: 'Http' },
      'a name of more than 15 characters': { containerPort: 80, name: 'a-name-too-long-' },
      'a name without a letter': { containerPort: 80, name: '80' },

      'port 0': { containerPort: 0 },
      'a port beyond 65535': { containerPort: 65_536 },
      'an unknown protocol': { containerPort: 80, protocol: 'HTTP' },
    },
  },
  EnvFromSource: {
    schema: types.EnvFromSource,
    good: [{ secretRef: { name: 'a' } }, { prefix: 'A_', configMapRef: { name: 'a' } }],
    bad: {
      'a Secret without a name': { secretRef: {} },
      'a ConfigMap with an empty name': { configMapRef: { name: '' } },

      'a prefix with an equals sign': { prefix: 'A=', configMapRef: { name: 'a' } },

      'no source': { prefix: 'A_' },
      'two sources': { secretRef: { name: 'a' }, configMapRef: { name: 'a' } },
    },
  },
  EnvVar: {
    schema: types.EnvVar,
    good: [
      { name: 'A' },
      { name: 'A', value: '1' },
      { name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a/b']" } } },
      { name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.hugepages-2Mi' } } },
      { name: 'my.var', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
      { name: 'A', value: '', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    bad: {
      'an unknown field of the pod': {
        name: 'A',
        valueFrom: { fieldRef: { fieldPath: 'spec.priority' } },
      },
      'an unknown resource': { name: 'A', valueFrom: { resourceFieldRef: { resource: 'gpu' } } },

      'no name': { value: '1' },
      'a name with =': { name: 'A=B' },
      'a value that is a number': { name: 'A', value: 1 },
      'a value and a source': {
        name: 'A',
        value: '1',
        valueFrom: { secretKeyRef: { name: 'a', key: 'b' } },
      },
      'an empty source': { name: 'A', valueFrom: {} },
      'two sources': {
        name: 'A',
        valueFrom: {
          secretKeyRef: { name: 'a', key: 'b' },
          fieldRef: { fieldPath: 'spec.nodeName' },
        },
      },
      'a reference without a name': { name: 'A', valueFrom: { secretKeyRef: { key: 'b' } } },
    },
  },
  HostAlias: {
    schema: types.HostAlias,
    good: [{ ip: '10.0.0.1', hostnames: ['a'] }],
    bad: {
      'a host name with a capital': { ip: '10.0.0.1', hostnames: ['A'] },
      'no address': { hostnames: ['a'] },
    },
  },
  LabelSelector: {
    schema: types.LabelSelector,
    good: [
      {},
      { matchLabels: { app: 'web' }, matchExpressions: [inOne, { key: 'a', operator: 'Exists' }] },
      { matchLabels: { [`${'b'.repeat(253)}/a..b`]: 'c', 'b.c-d/a': 'c' } },
    ],
    bad: {
      'a key with a space': { matchLabels: { 'a b': 'c' } },
      'a key of more than 63 characters': { matchLabels: { ['a'.repeat(64)]: 'c' } },
      'a key with an empty prefix': { matchLabels: { '/a': 'c' } },
      'a key whose prefix has two dots in a row': { matchLabels: { 'b..b/a': 'c' } },
      'a key whose prefix is too long': { matchLabels: { [`${'b'.repeat(254)}/a`]: 'c' } },
      'an expression whose prefix has two dots in a row': {
        matchExpressions: [{ ...inOne, key: 'b..b/a' }],
      },

      'a value with a space': { matchLabels: { a: 'b c' } },
      'a value of In with a space': {
        matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }],
      },

      'an operator of node selectors': {
        matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }],
      },
      'In without values': { matchExpressions: [{ key: 'a', operator: 'In' }] },
      'In with no value': { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] },
      'Exists with values': { matchExpressions: [{ ...inOne, operator: 'Exists' }] },
      'no key': { matchExpressions: [{ operator: 'Exists' }] },
      'a label that is a number': { matchLabels: { app: 1 } },
    },
  },
  Lifecycle: {
    schema: types.Lifecycle,
    good: [{}, { postStart: { exec: { command: ['true'] } }, stopSignal: 'SIGTERM' }],
    bad: {
      'an empty header': {
        preStop: { httpGet: { port: 80, httpHeaders: [{ name: '', value: 'a' }] } },
      },

      'no command': { preStop: { exec: {} } },
      'a negative time': { preStop: { sleep: { seconds: -1 } } },

      'two handlers': { postStart: { exec: { command: ['true'] }, sleep: { seconds: 1 } } },
      'no handler': { preStop: {} },
    },
  },
  LocalObjectReference: {
    schema: types.LocalObjectReference,
    good: [{ name: 'a' }],
    bad: { 'no name': {}, 'an empty name': { name: '' } },
  },
  PersistentVolumeClaimSpec: {
    schema: types.PersistentVolumeClaimSpec,
    good: [
      {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: '',
      },
    ],
    bad: {
      'no mode': { resources: claim.resources },
      'an empty list of modes': { ...claim, accessModes: [] },
      'no resources': { accessModes: claim.accessModes },
      'no size': { ...claim, resources: { requests: {} } },
      'a size of 0': { ...claim, resources: { requests: { storage: 0 } } },
      'a StorageClass with a capital': { ...claim, storageClassName: 'A' },
      'a single-pod mode next to another': {
        ...claim,
        accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'],
      },

      'an unknown mode': { ...claim, accessModes: ['ReadWrite'] },
      'a size that is no quantity': { ...claim, resources: { requests: { storage: '1 GB' } } },
    },
  },
  PodSecurityContext: {
    schema: types.PodSecurityContext,
    good: [
      {},
      {
        runAsNonRoot: true,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
        supplementalGroups: [0, 2 ** 31 - 1],
        seLinuxChangePolicy: 'Recursive',
        sysctls: [{ name: 'net.core.somaxconn', value: '1024' }],
      },
    ],
    bad: {
      'a local profile without its path': { appArmorProfile: { type: 'Localhost' } },

      'an unknown profile': { seccompProfile: { type: 'Default' } },
      'a group that is a name': { fsGroup: 'staff' },
      'a group below 0': { fsGroup: -1 },
      'a user beyond 31 bits': { runAsUser: 2 ** 31 },
      'a supplemental group below 0': { supplementalGroups: [1, -1] },
      'a policy that needs a feature gate': { seLinuxChangePolicy: 'MountOption' },
      'an illegal sysctl': { sysctls: [{ name: 'net core', value: '1' }] },
    },
  },
  PodSpec: {
    schema: types.PodSpec,
    good: [
      podSpec,
      {
        ...podSpec,
        initContainers: [{ ...container, name: 'init', restartPolicy: 'Always' }],
        imagePullSecrets: [{ name: 'a' }],
        nodeSelector: { disk: 'ssd' },
        overhead: { cpu: '1m' },
        priority: -1,
        tolerations: [{ operator: 'Exists' }],
        volumes: [{ name: 'tmp', emptyDir: {} }],
        hostAliases: [{ ip: '127.0.0.1' }, { ip: '::1' }, { ip: 'fd00::ffff:10.0.0.1' }],
        dnsConfig: { nameservers: ['10.0.0.10', '2001:db8::1'] },
      },
    ],
    bad: {
      'a key of nodeSelector with a space': { ...podSpec, nodeSelector: { 'a b': 'c' } },
      'an alias of no address': { ...podSpec, hostAliases: [{ ip: 'web', hostnames: ['a'] }] },
      'an alias of an address above 255': {
        ...podSpec,
        hostAliases: [{ ip: '10.0.0.256', hostnames: ['a'] }],
      },
      'a name for the address of a nameserver': {
        ...podSpec,
        dnsConfig: { nameservers: ['dns.example.org'] },
      },
      'dnsPolicy None without nameservers': { ...podSpec, dnsPolicy: 'None' },
      'dnsPolicy None with no nameserver': {
        ...podSpec,
        dnsPolicy: 'None',
        dnsConfig: { nameservers: [] },
      },
      'more than three nameservers': {
        ...podSpec,
        dnsConfig: { nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'] },
      },
      'a DNS option without a name': { ...podSpec, dnsConfig: { options: [{ value: '1' }] } },
      'a probe of a container that ends': {
        ...podSpec,
        initContainers: [
          { ...container, name: 'init', readinessProbe: { tcpSocket: { port: 80 } } },
        ],
      },
      'an init container with the name of another': { ...podSpec, initContainers: [container] },
      'a subdomain with a capital': { ...podSpec, subdomain: 'A' },
      'a RuntimeClass with a capital': { ...podSpec, runtimeClassName: 'A' },
      'an unknown operating system': { ...podSpec, os: { name: 'plan9' } },
      'a shared process namespace next to that of the host': {
        ...podSpec,
        hostPID: true,
        shareProcessNamespace: true,
      },

      'a deadline of zero': { ...podSpec, activeDeadlineSeconds: 0 },
      'a host name with a capital': { ...podSpec, hostname: 'A' },
      'a ServiceAccount with a capital': { ...podSpec, serviceAccountName: 'A' },
      'a PriorityClass with a capital': { ...podSpec, priorityClassName: 'A' },
      'a value of nodeSelector with a space': { ...podSpec, nodeSelector: { a: 'b c' } },

      'no containers': {},
      'an empty list of containers': { containers: [] },
      'two containers of one name': { containers: [container, container] },
      'a policy of other kinds': { ...podSpec, restartPolicy: 'Sometimes' },
      'a priority beyond 32 bits': { ...podSpec, priority: 2 ** 31 },
    },
  },
  DeploymentStrategy: {
    schema: types.DeploymentStrategy,
    good: [{}, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } }],
    bad: {
      'a rolling update of Recreate': { type: 'Recreate', rollingUpdate: { maxSurge: 1 } },
      'a text that is no percentage': { rollingUpdate: { maxSurge: 'one' } },
      'more than all': { rollingUpdate: { maxUnavailable: '101%' } },

      'a type of StatefulSets': { type: 'OnDelete' },
      'a surge that is a boolean': { rollingUpdate: { maxSurge: true } },
    },
  },
  IngressSpec: {
    schema: types.IngressSpec,
    good: [
      {},
      {
        ingressClassName: 'nginx',
        rules: [
          {
            host: '*.example.org',
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name: 'web', port: { name: 'http' } } },
                },
              ],
            },
          },
        ],
        tls: [{ hosts: ['example.org'], secretName: 'web-tls' }],
      },
    ],
    bad: {
      'a relative path': {
        rules: [
          {
            http: {
              paths: [
                {
                  path: 'a',
                  pathType: 'Prefix',
                  backend: { service: { name: 'web', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
      'a port with name and number': {
        defaultBackend: { service: { name: 'web', port: { name: 'http', number: 80 } } },
      },
      'a backend of two': {
        defaultBackend: {
          service: { name: 'web', port: { number: 80 } },
          resource: { kind: 'Bucket', name: 'a' },
        },
      },
      'a host with a capital': { rules: [{ host: 'Example.org' }] },

      'a path without a backend': { rules: [{ http: { paths: [{ pathType: 'Exact' }] } }] },
      'an unknown type of path': {
        rules: [{ http: { paths: [{ pathType: 'Regex', backend: {} }] } }],
      },
    },
  },
  ServiceSpec: {
    schema: types.ServiceSpec,
    good: [
      {},
      {
        type: 'LoadBalancer',
        selector: { app: 'web' },
        ports: [
          { name: 'http', port: 80, protocol: 'TCP', targetPort: 'http' },
          { name: 'a-name-of-a-port-that-is-long', port: 81, protocol: 'TCP', targetPort: 0 },
        ],
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
        ipFamilies: ['IPv4'],
        externalIPs: ['203.0.113.7'],
        loadBalancerSourceRanges: ['10.0.0.0/8', '2001:db8::/32'],
      },
    ],
    bad: {
      'a name for the address of the Service': { clusterIP: 'web' },
      'a name for an external address': { externalIPs: ['web.example.org'] },
      'a range without a length': {
        type: 'LoadBalancer',
        ports: [{ port: 80 }],
        loadBalancerSourceRanges: ['10.0.0.0'],
      },
      'a port name with a capital': { ports: [{ name: 'Http', port: 80 }] },
      'two ports without names': { ports: [{ port: 80 }, { port: 81 }] },
      'two ports of one name': {
        ports: [
          { name: 'a', port: 80 },
          { name: 'a', port: 81 },
        ],
      },
      'a target of more than 15 characters': {
        ports: [{ port: 80, targetPort: 'a-name-too-long-' }],
      },
      'a negative target port': { ports: [{ port: 80, targetPort: -1 }] },
      'a key of the selector with a space': { selector: { 'a b': 'c' } },
      'a value of the selector with a space': { selector: { a: 'b c' } },
      'an affinity of no time': {
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
      },
      'an external name that is none': { type: 'ExternalName', externalName: 'a b' },
      'no external name': { type: 'ExternalName' },

      'an unknown type': { type: 'Headless' },
      'a port beyond 16 bits': { ports: [{ port: 65_536 }] },
      'two ports alike': { ports: [{ port: 80 }, { port: 80 }] },
    },
  },
  PodTemplateSpec: {
    schema: types.PodTemplateSpec,
    good: [
      {},
      { metadata: { labels: { a: 'b' }, annotations: {}, finalizers: ['a/b'] }, spec: podSpec },
      { metadata: { labels: { 'a.b/C_d': '' }, annotations: { 'A.B/c': 'd' } }, spec: podSpec },
    ],
    bad: {
      'a key of a label with a space': { metadata: { labels: { 'a b': 'c' } }, spec: podSpec },
      'a key of an annotation with a space': {
        metadata: { annotations: { 'a b': 'c' } },
        spec: podSpec,
      },

      'a label with a space': { metadata: { labels: { a: 'b c' } }, spec: podSpec },

      'a label that is a number': { metadata: { labels: { a: 1 } } },
      'a mistake deep inside': {
        spec: { containers: [{ ...container, env: [{ name: 'A', value: '1', valueFrom: {} }] }] },
      },
      'two ports alike': {
        spec: {
          containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 80 }] }],
        },
      },
    },
  },
  Probe: {
    schema: types.Probe,
    good: [
      { httpGet: { port: 8080, path: '/', httpHeaders: [{ name: 'Host', value: 'a' }] } },
      { tcpSocket: { port: 'http' }, periodSeconds: 5 },
      { grpc: { port: 1 } },
      { exec: { command: ['true'] } },
    ],
    bad: {
      'a header with a space': { httpGet: { port: 80, httpHeaders: [{ name: 'a b', value: '' }] } },

      'no command': { exec: {} },
      'port 0': { httpGet: { port: 0 } },
      'a port beyond 65535': { tcpSocket: { port: 65_536 } },
      'a port name with a space': { httpGet: { port: 'a b' } },
      'no grace period': { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 0 },

      'no handler': { periodSeconds: 5 },
      'two handlers': { exec: {}, tcpSocket: { port: 1 } },
      'a negative period': { exec: {}, periodSeconds: -1 },
      'a scheme of another protocol': { httpGet: { port: 1, scheme: 'FTP' } },
      'no port': { httpGet: { path: '/' } },
    },
  },
  ResourceRequirements: {
    schema: types.ResourceRequirements,
    good: [
      {},
      { requests: { cpu: '500m', memory: '1Gi' }, limits: { 'nvidia.com/gpu': 1 } },
      { requests: { 'nvidia.com/gpu': '1' }, limits: { 'nvidia.com/gpu': 1 } },
      { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: 1_073_741_824 } },
      { requests: { cpu: '.5' }, limits: { cpu: '+1e0' } },
    ],
    bad: {
      'a request above its limit': { requests: { cpu: '1' }, limits: { cpu: '900m' } },
      'a request above its limit, in other units': {
        requests: { memory: '1Gi' },
        limits: { memory: 1_000_000_000 },
      },
      'a request of a device without a limit': { requests: { 'nvidia.com/gpu': 1 } },
      'a request of a device below its limit': {
        requests: { 'nvidia.com/gpu': 1 },
        limits: { 'nvidia.com/gpu': 2 },
      },
      'an unknown resource': { limits: { gpu: 1 } },
      'a resource with a space': { limits: { 'a.b/c d': 1 } },

      'a unit that Kubernetes lacks': { limits: { memory: '1GB' } },
      'a negative limit': { limits: { cpu: '-1' } },
      'a claim twice': { claims: [{ name: 'a' }, { name: 'a' }] },
    },
  },
  SecretKeySelector: {
    schema: types.SecretKeySelector,
    good: [{ name: 'a', key: 'b' }],
    bad: {
      'a key with a slash': { name: 'a', key: 'b/c' },
      'no name': { key: 'b' },
      'no key': { name: 'a' },
    },
  },
  SecurityContext: {
    schema: types.SecurityContext,
    good: [{}, { capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true, runAsUser: 1000 }],
    bad: {
      'a privileged container without privilege escalation': {
        privileged: true,
        allowPrivilegeEscalation: false,
      },
      'a local profile without its path': { seccompProfile: { type: 'Localhost' } },
      'a path of no local profile': {
        seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' },
      },

      'a text for a boolean': { privileged: 'no' },
      'an unknown mount': { procMount: 'Masked' },
      'a group beyond 31 bits': { runAsGroup: 2 ** 31 },
    },
  },
  Toleration: {
    schema: types.Toleration,
    good: [
      { operator: 'Exists' },
      { key: 'a' },
      { key: 'b.c-d.e/a..b' },
      { key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 60 },
    ],
    bad: {
      'neither key nor Exists': {},
      'Exists with a value': { key: 'a', operator: 'Exists', value: 'b' },
      'seconds for another effect': { key: 'a', effect: 'NoSchedule', tolerationSeconds: 1 },
      'an unknown effect': { key: 'a', effect: 'NoRun' },
      'a prefix with two dots in a row': { key: '0..0/a' },
      'a prefix with a part that ends in a hyphen': { key: 'b-.b/a' },
    },
  },
  TopologySpreadConstraint: {
    schema: types.TopologySpreadConstraint,
    good: [
      { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
    ],
    bad: {
      'minDomains of a constraint that need not hold': {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        minDomains: 2,
      },
      'matchLabelKeys without a selector': {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        matchLabelKeys: ['app'],
      },

      'no skew': { maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
      'no key': { maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
    },
  },
  TypedLocalObjectReference: {
    schema: types.TypedLocalObjectReference,
    good: [
      { kind: 'Secret', name: 'a' },
      { apiGroup: 'apps', kind: 'Deployment', name: 'a' },
    ],
    bad: { 'no kind': { name: 'a' } },
  },
  TypedObjectReference: {
    schema: types.TypedObjectReference,
    good: [{ kind: 'Secret', name: 'a', namespace: 'b' }],
    bad: { 'no name': { kind: 'Secret' } },
  },
  Volume: {
    schema: types.Volume,
    good: [
      { name: 'a' },
      { name: 'a', emptyDir: { medium: '', sizeLimit: '1Gi' } },
      { name: 'a', secret: { secretName: 'b', defaultMode: 0o400 } },
      { name: 'a', hostPath: { path: '/a..b/./...//' } },
      { name: 'a', configMap: { name: 'b', items: [{ key: 'c', path: '.d/..e/f..' }] } },
      {
        name: 'a',
        projected: { sources: [{ secret: { name: 'b' } }, { configMap: { name: 'b' } }] },
      },
      { name: 'a', ephemeral: { volumeClaimTemplate: { spec: claim } } },
    ],
    bad: {
      'a path of the host with ..': { name: 'a', hostPath: { path: '/a/../b' } },
      'an item with ..': {
        name: 'a',
        configMap: { name: 'b', items: [{ key: 'c', path: 'd/../e' }] },
      },
      'an item that begins with ..': {
        name: 'a',
        secret: { secretName: 'b', items: [{ key: 'c', path: '..d' }] },
      },
      'an item with an absolute path': {
        name: 'a',
        projected: { sources: [{ secret: { name: 'b', items: [{ key: 'c', path: '/d' }] } }] },
      },
      'an item without a key': {
        name: 'a',
        secret: { secretName: 'b', items: [{ key: '', path: 'd' }] },
      },
      'a file of two fields': {
        name: 'a',
        downwardAPI: {
          items: [
            {
              path: 'b',
              fieldRef: { fieldPath: 'metadata.name' },
              resourceFieldRef: { containerName: 'web', resource: 'limits.cpu' },
            },
          ],
        },
      },
      'a file of no field': { name: 'a', downwardAPI: { items: [{ path: 'b' }] } },
      'a projected Secret without a name': { name: 'a', projected: { sources: [{ secret: {} }] } },
      'a claim with an empty name': { name: 'a', persistentVolumeClaim: { claimName: '' } },
      'a Secret with an empty name': { name: 'a', secret: { secretName: '' } },
      'a ConfigMap with an empty name': { name: 'a', configMap: { name: '' } },
      'a token of a minute': {
        name: 'a',
        projected: { sources: [{ serviceAccountToken: { path: 'b', expirationSeconds: 60 } }] },
      },
      'a relative path of NFS': { name: 'a', nfs: { server: 'b', path: 'c' } },
      'an empty server of NFS': { name: 'a', nfs: { server: '', path: '/c' } },
      'a driver with a space': { name: 'a', csi: { driver: 'b c' } },
      'a claim without modes': {
        name: 'a',
        ephemeral: { volumeClaimTemplate: { spec: { resources: claim.resources } } },
      },
      'no template of a claim': { name: 'a', ephemeral: {} },

      'a Secret without a name': { name: 'a', secret: {} },
      'a ConfigMap without a name': { name: 'a', configMap: {} },
      'a mode beyond 0777': { name: 'a', secret: { secretName: 'a', defaultMode: 512 } },
      'an empty path of the host': { name: 'a', hostPath: { path: '' } },

      'no name': { emptyDir: {} },
      'a name that is no DNS label': { name: 'a.b' },
      'two sources': { name: 'a', emptyDir: {}, secret: { secretName: 'b' } },
      'a projection of two sources': {
        name: 'a',
        projected: { sources: [{ secret: { name: 'b' }, configMap: { name: 'b' } }] },
      },
      'an unknown type of path': { name: 'a', hostPath: { path: '/', type: 'Folder' } },
    },
  },
  VolumeMount: {
    schema: types.VolumeMount,
    good: [
      { ...mount, subPath: 'b' },
      { ...mount, subPath: '..b/.c/d../e//...' },
      { ...mount, readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'None' },
      { ...mount, recursiveReadOnly: 'Disabled' },
    ],
    bad: {
      'a subPath with ..': { ...mount, subPath: 'b/../c' },
      'a subPathExpr with ..': { ...mount, subPathExpr: '../$(A)' },
      'an absolute subPathExpr': { ...mount, subPathExpr: '/$(A)' },

      'an absolute subPath': { name: 'a', mountPath: '/a', subPath: '/b' },
      'two sub-paths': { name: 'a', mountPath: '/a', subPath: 'b', subPathExpr: 'c' },

      'no path': { name: 'a' },
      'an empty path': { name: 'a', mountPath: '' },
      'an unknown recursion': { ...mount, readOnly: true, recursiveReadOnly: 'Always' },
      'a recursion of a writable mount': { ...mount, recursiveReadOnly: 'Enabled' },
      'a recursion of a propagated mount': {
        ...mount,
        readOnly: true,
        recursiveReadOnly: 'IfPossible',
        mountPropagation: 'HostToContainer',
      },
    },
  },
};

/** A list of the type, with a bound, because the API server multiplies the cost of its rules. */
export const listOf = (name: string, schema: TSchema): TSchema =>
  Type.Array(schema, { maxItems: name.startsWith('Pod') ? 8 : 32 });
