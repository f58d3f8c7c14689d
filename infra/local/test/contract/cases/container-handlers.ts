import { container, lifecycle, port, steps } from '../container-manifests.ts';
import type { ContractCase } from '../contract-case.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'lifecycle',
    reason: 'a hook has exactly one valid handler',
    steps: steps([
      {
        given: lifecycle({ preStop: {} }),
        want: [
          [
            'spec.template.spec.containers[0].lifecycle.preStop',
            'Required value: must specify a handler type',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: lifecycle({ preStop: { exec: { command: [] } } }),
        want: [
          [
            'spec.template.spec.containers[0].lifecycle.preStop.exec.command',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: lifecycle({ preStop: { exec: { command: ['a'] }, sleep: { seconds: 1 } } }),
        want: [
          [
            'spec.template.spec.containers[0].lifecycle.preStop.sleep',
            'Forbidden: may not specify more than 1 handler type',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: lifecycle({ preStop: { sleep: { seconds: 31 } } }),
        want: [
          [
            'spec.template.spec.containers[0].lifecycle.preStop.sleep',
            'Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
          ],
        ],
      },
      { given: lifecycle({ preStop: { sleep: { seconds: 5 } } }), want: 'accepted' },
      {
        given: lifecycle({ postStart: { httpGet: { port: 0 } } }),
        want: [
          [
            'spec.template.spec.containers[0].lifecycle.postStart.httpGet.port',
            'Invalid value: 0: must be between 1 and 65535, inclusive',
          ],
        ],
      },
      {
        given: lifecycle({ postStart: { httpGet: { port: 80, scheme: 'ftp' } } }),
        want: [
          [
            'spec.template.spec.containers[0].lifecycle.postStart.httpGet.scheme',
            'Unsupported value: "ftp": supported values: "HTTP", "HTTPS"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: lifecycle({ postStart: { tcpSocket: { port: 'A' } } }),
        want: [
          [
            'spec.template.spec.containers[0].lifecycle.postStart.tcpSocket.port',
            'Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
          ],
          [
            'spec.template.spec.containers[0].lifecycle.postStart.tcpSocket.port',
            'Invalid value: "A": must contain at least one letter (a-z)',
          ],
        ],
      },
      { given: lifecycle({ stopSignal: 'SIGTERM' }), want: 'accepted' },
    ]),
  },
  {
    id: 'probes',
    reason:
      'a probe may shorten the grace period, not abolish it, and sends headers that are headers',
    steps: steps([
      {
        given: container({
          livenessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 0 },
        }),
        want: [
          [
            'spec.template.spec.containers[0].livenessProbe.terminationGracePeriodSeconds',
            'Invalid value: 0: must be greater than 0',
          ],
        ],
      },
      {
        given: container({
          readinessProbe: { tcpSocket: { port: 80 }, terminationGracePeriodSeconds: 1 },
        }),
        want: [
          [
            'spec.template.spec.containers[0].readinessProbe.terminationGracePeriodSeconds',
            'Invalid value: 1: must not be set for readinessProbes',
          ],
        ],
      },
      {
        given: container({
          livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'a b', value: '' }] } },
        }),
        want: [
          [
            'spec.template.spec.containers[0].livenessProbe.httpGet.httpHeaders',
            "Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
          ],
        ],
      },
      {
        given: container({ livenessProbe: { grpc: { port: 0 } } }),
        want: [
          [
            'spec.template.spec.containers[0].livenessProbe.grpc.port',
            'Invalid value: 0: must be between 1 and 65535, inclusive',
          ],
        ],
      },
    ]),
  },
  {
    id: 'ports',
    reason: 'a host port is valid, and used once',
    steps: steps([
      {
        given: port({ hostPort: 70000 }),
        want: [
          [
            'spec.template.spec.containers[0].ports[0].hostPort',
            'Invalid value: 70000: must be between 1 and 65535, inclusive',
          ],
        ],
      },
      {
        given: port({ hostPort: -1 }),
        want: [
          [
            'spec.template.spec.containers[0].ports[0].hostPort',
            'Invalid value: -1: must be between 1 and 65535, inclusive',
          ],
        ],
      },
      {
        given: container({
          ports: [
            { containerPort: 80, hostPort: 80 },
            { containerPort: 81, hostPort: 80 },
          ],
        }),
        want: [
          [
            'spec.template.spec.containers[0].ports[1].hostPort',
            'Duplicate value: "TCP//80"',
            'FieldValueDuplicate',
          ],
        ],
      },
      { given: port({ hostIP: 'x', hostPort: 80 }), want: 'accepted' },
    ]),
  },
];
