/** Child types that are custom resources: one of another controller, and a kind of this project. */

import { Type } from 'typebox';
import { child, configMap, defineChildType, defineKind } from '../../index.ts';
import { casesOf } from './cases.ts';

export const certificate = defineChildType<{ spec: { secretName: string; dnsNames: string[] } }>({
  group: 'certificates.example.org',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
});

/** Defines Certificates as their controller would install them. */
export const certificateDefinition = defineKind({
  group: certificate.group,
  version: certificate.version,
  kind: certificate.kind,
  plural: certificate.plural,
  spec: Type.Object({
    secretName: Type.String(),
    dnsNames: Type.Array(Type.String()),
    duration: Type.String({ default: '2160h' }),
  }),
  samples: [],
  owns: [],
  children: () => [],
});

export const note = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  spec: Type.Object({ text: Type.String() }),
  samples: [],
  owns: [configMap],
  children: ({ name, spec: { text } }) => [
    child(configMap, { name: `${name}-note`, body: { data: { text } } }),
  ],
});

export const customResources = [
  casesOf(certificate, {
    body: { spec: { secretName: 'garden', dnsNames: ['garden.example.org'] } },
    edit: { patch: { spec: { secretName: 'other' } }, path: 'spec.secretName' },
    impact: { created: [], deleted: ['unknown'] },
  }),
  casesOf(note, {
    body: { spec: { text: 'one' } },
    edit: { patch: { spec: { text: 'two' } }, path: 'spec.text' },
    impact: { created: [], deleted: ['unknown'] },
  }),
];
