import { since136 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { paths, service } from '../objects.ts';

const { services } = paths;
const port = { port: 80, protocol: 'TCP' };
const balancer = { type: 'LoadBalancer' };
const of = (spec: object) => service('x', spec);

export const cases: readonly ContractCase[] = [
  {
    id: 'ports',
    reason: 'appProtocol is a label key',
    steps: judged(services, 'Service', [
      {
        given: of({ ports: [{ ...port, appProtocol: 'a b' }] }),
        want: [
          [
            'spec.ports[0].appProtocol',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      { given: of({ ports: [{ ...port, appProtocol: 'kubernetes.io/h2c' }] }), want: 'accepted' },
    ]),
  },
  {
    id: 'selector',
    reason: 'the selector of a Service has legal labels',
    steps: judged(services, 'Service', [
      {
        given: of({ selector: { 'a b': '1' } }),
        want: [
          [
            'spec.selector',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: of({ selector: { a: 'b c' } }),
        want: [
          [
            'spec.selector',
            "Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          ],
        ],
      },
    ]),
  },
  {
    id: 'families',
    reason: 'families and cluster IPs belong together, on a cluster of one family',
    steps: judged(services, 'Service', [
      {
        given: of({ clusterIPs: ['None'] }),
        want: [
          [
            'spec.clusterIPs',
            'Invalid value: ["None"]: must be empty when `clusterIP` is not specified',
          ],
        ],
      },
      {
        given: of({ clusterIP: 'None', clusterIPs: ['None', 'None'] }),
        want: [
          [
            'spec.clusterIPs',
            'Invalid value: ["None","None"]: \'None\' must be the first and only value',
          ],
          [
            'spec.clusterIPs[1]',
            'Invalid value: "None": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          ],
        ],
      },
      {
        given: of({ clusterIP: 'None', clusterIPs: ['10.96.1.2'] }),
        want: [
          ['spec.clusterIPs', 'Invalid value: ["10.96.1.2"]: first value must match `clusterIP`'],
        ],
      },
      {
        given: of({ ipFamilies: ['IPv6'] }),
        want: [['spec.ipFamilies[0]', 'Invalid value: "IPv6": not configured on this cluster']],
      },
      {
        given: of({ ipFamilies: ['IPvX'] }),
        want: [
          [
            'spec.ipFamilies[0]',
            'Unsupported value: "IPvX": supported values: "IPv4", "IPv6"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: of({ ipFamilies: ['IPv4', 'IPv4'] }),
        want: [['spec.ipFamilies[1]', 'Duplicate value: "IPv4"', 'FieldValueDuplicate']],
      },
      {
        given: of({ ipFamilies: ['IPv4', 'IPv6'] }),
        want: [
          [
            'spec.ipFamilyPolicy',
            "Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
          ],
        ],
      },
      {
        given: of({ ipFamilyPolicy: 'x' }),
        want: [
          [
            'spec.ipFamilyPolicy',
            'Unsupported value: "x": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: of({ clusterIP: 'None', ipFamilies: ['IPvX'] }),
        want: [
          [
            'spec.ipFamilies[0]',
            'Unsupported value: "IPvX": supported values: "IPv4", "IPv6"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: of({ type: 'ExternalName', externalName: 'a.b', ipFamilies: ['IPv4'] }),
        want: [
          [
            'spec.ipFamilies',
            'Forbidden: may not be set for ExternalName services',
            'FieldValueForbidden',
          ],
        ],
      },
    ]),
  },
  {
    id: 'sources',
    reason: 'only a load balancer has source ranges',
    steps: judged(services, 'Service', [
      { given: of({ ...balancer, loadBalancerSourceRanges: ['10.0.0.0/8 '] }), want: 'accepted' },
      {
        given: of({ ...balancer, loadBalancerSourceRanges: ['10.0.0.0'] }),
        want: [
          [
            'spec.LoadBalancerSourceRanges[0]',
            'Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
          ],
        ],
      },
      {
        given: of({ type: 'NodePort', loadBalancerSourceRanges: ['10.0.0.0/8'] }),
        want: [
          [
            'spec.LoadBalancerSourceRanges',
            "Forbidden: may only be used when `type` is 'LoadBalancer'",
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: of({ type: 'NodePort', loadBalancerSourceRanges: ['x'] }),
        want: [
          [
            'spec.LoadBalancerSourceRanges',
            "Forbidden: may only be used when `type` is 'LoadBalancer'",
            'FieldValueForbidden',
          ],
          [
            'spec.LoadBalancerSourceRanges[0]',
            'Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
          ],
        ],
      },
    ]),
  },
  {
    id: 'class',
    reason: 'only a load balancer has a class',
    steps: judged(services, 'Service', [
      { given: of({ ...balancer, loadBalancerClass: 'a.b/c' }), want: 'accepted' },
      {
        given: of({ ...balancer, loadBalancerClass: 'a b' }),
        want: [
          [
            'spec.loadBalancerClass',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: of({ loadBalancerClass: 'a.b/c' }),
        want: [
          [
            'spec.loadBalancerClass',
            "Forbidden: may only be used when `type` is 'LoadBalancer'",
            'FieldValueForbidden',
          ],
        ],
      },
    ]),
  },
  {
    id: 'distribution',
    reason: 'traffic prefers what is close or what is on the same zone or node',
    steps: judged(services, 'Service', [
      {
        given: of({ trafficDistribution: 'x' }),
        want: [
          [
            'spec.trafficDistribution',
            'Unsupported value: "x": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
            'FieldValueNotSupported',
          ],
        ],
      },
      { given: of({ trafficDistribution: 'PreferClose' }), want: 'accepted' },
    ]),
  },
  {
    id: 'external-ips',
    reason: 'special addresses are not external IPs',
    steps: judged(services, 'Service', [
      {
        given: of({ externalIPs: ['127.0.0.1'] }),
        want: [
          [
            'spec.externalIPs[0]',
            'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
          ],
        ],
      },
      {
        given: of({ externalIPs: ['169.254.1.1'] }),
        want: [
          [
            'spec.externalIPs[0]',
            'Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
          ],
        ],
      },
      {
        given: of({ externalIPs: ['0.0.0.0'] }),
        want: [
          ['spec.externalIPs[0]', 'Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)'],
        ],
      },
      {
        given: of({ externalIPs: ['224.0.0.5'] }),
        want: [
          [
            'spec.externalIPs[0]',
            'Invalid value: "224.0.0.5": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
          ],
        ],
      },
      {
        given: of({ externalIPs: ['::1'] }),
        want: [
          [
            'spec.externalIPs[0]',
            'Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
          ],
        ],
      },
      { given: of({ externalIPs: ['2001:db8::1'] }), want: 'accepted' },
      {
        given: of({ externalIPs: ['300.1.1.1'] }),
        want: [
          [
            'spec.externalIPs[0]',
            'Invalid value: "300.1.1.1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          ],
        ],
      },
      {
        given: of({ externalIPs: ['10.0.0.01'] }),
        want: [['spec.externalIPs[0]', 'Invalid value: "10.0.0.01": must not have leading 0s']],
        since: since136.addresses,
      },
    ]),
  },
  {
    id: 'health-check',
    reason: 'only a load balancer with externalTrafficPolicy Local has a health check',
    steps: judged(services, 'Service', [
      {
        given: of({ healthCheckNodePort: 31999 }),
        want: [
          [
            'spec.healthCheckNodePort',
            "Invalid value: 31999: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ],
        ],
      },
      {
        given: of({ ...balancer, healthCheckNodePort: 31998 }),
        want: [
          [
            'spec.healthCheckNodePort',
            "Invalid value: 31998: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ],
        ],
      },
    ]),
  },
];
