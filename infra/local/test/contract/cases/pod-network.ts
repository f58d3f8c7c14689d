import type { ContractCase } from '../contract-case.ts';
import { pod, steps } from '../pod-manifests.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'network',
    reason: 'with hostNetwork the ports are those of the node',
    steps: steps([
      { given: pod({ hostNetwork: true }, { ports: [{ containerPort: 80 }] }), want: 'accepted' },
      {
        given: pod({ hostNetwork: true }, { ports: [{ containerPort: 80, hostPort: 81 }] }),
        want: [
          [
            'spec.template.spec.containers[0].ports[0].hostPort',
            'Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
          ],
        ],
      },
      {
        given: pod({ hostname: 'A_' }),
        want: [
          [
            'spec.template.spec.hostname',
            "Invalid value: \"A_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
          ],
        ],
      },
      {
        given: pod({ subdomain: 'a.b' }),
        want: [['spec.template.spec.subdomain', 'Invalid value: "a.b": must not contain dots']],
      },
      {
        given: pod({ hostAliases: [{ ip: 'x', hostnames: ['A_'] }] }),
        want: [
          [
            'spec.template.spec.hostAliases[0].ip',
            'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          ],
          [
            'spec.template.spec.hostAliases[0].hostnames[0]',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
    ]),
  },
  {
    id: 'dns',
    reason: 'the DNS policy is a known one, and None needs a dnsConfig',
    steps: steps([
      {
        given: pod({ dnsPolicy: 'x' }),
        want: [
          [
            'spec.template.spec.dnsPolicy',
            'Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: pod({ dnsPolicy: 'None' }),
        want: [
          [
            'spec.template.spec.dnsConfig',
            'Required value: must provide `dnsConfig` when `dnsPolicy` is None',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: pod({ dnsPolicy: 'None', dnsConfig: {} }),
        want: [
          [
            'spec.template.spec.dnsConfig.nameservers',
            'Required value: must provide at least one DNS nameserver when `dnsPolicy` is None',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: pod({ dnsConfig: { nameservers: ['x'] } }),
        want: [
          [
            'spec.template.spec.dnsConfig.nameservers[0]',
            'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
          ],
        ],
      },
      {
        given: pod({ dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] } }),
        want: [
          [
            'spec.template.spec.dnsConfig.nameservers',
            'Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: must not have more than 3 nameservers',
          ],
        ],
      },
      { given: pod({ dnsConfig: { searches: ['a_b.c.', '.'] } }), want: 'accepted' },
      {
        given: pod({ dnsConfig: { searches: ['a b'] } }),
        want: [
          [
            'spec.template.spec.dnsConfig.searches[0]',
            "Invalid value: \"a b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: pod({ dnsConfig: { options: [{ value: '1' }] } }),
        want: [
          [
            'spec.template.spec.dnsConfig.options[0]',
            'Required value: must not be empty',
            'FieldValueRequired',
          ],
        ],
      },
    ]),
  },
  {
    id: 'gates',
    reason: 'readiness gates are named like conditions',
    steps: steps([
      {
        given: pod({ readinessGates: [{ conditionType: 'a b' }] }),
        want: [
          [
            'spec.template.spec.readinessGates[0].conditionType',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: pod({ schedulingGates: [{ name: 'a b' }] }),
        want: [
          [
            'spec.template.spec.schedulingGates[0]',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: pod({ schedulingGates: [{ name: 'a.b/c' }, { name: 'a.b/c' }] }),
        want: [
          [
            'spec.template.spec.schedulingGates[1]',
            'Duplicate value: "a.b/c"',
            'FieldValueDuplicate',
          ],
        ],
      },
    ]),
  },
];
