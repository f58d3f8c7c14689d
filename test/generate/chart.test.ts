import { expect, it } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { chartFiles } from '../../infra/generate/chart/chart.ts';

it('a chart does not change text of a CRD that looks like its templates', () => {
  const description = 'as § 5 and § 6 say, {{ .Values.image }}';
  const kind = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Law',
    plural: 'laws',
    spec: Type.Object({ text: Type.Optional(Type.String({ description })) }),
    samples: [],
    owns: [configMap],
    children: ({ name }) => [child(configMap, { name, body: {} })],
  });
  const files = chartFiles([kind], {
    name: 'reconciler',
    version: '1.0.0',
    image: 'registry.example.com/r:1',
    schedule: '*/10 * * * *',
    deadlineSeconds: 50,
    environment: {},
    namespaces: undefined,
    auditFrom: undefined,
  });
  expect(files.get('templates/crds/laws.example.org.yaml')).toContain(
    'as § 5 and § 6 say, {{ "{{" }} .Values.image }}',
  );
});
