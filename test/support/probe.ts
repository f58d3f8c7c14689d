import { type TObject, type TSchema, Type } from 'typebox';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';

/** Defines a kind whose spec has one field, `value`, which its child contains as received. */
export const kindOf = (value: TSchema, name = 'Probe'): Kind =>
  defineKind({
    group: 'example.com',
    version: 'v1',
    kind: name,
    plural: `${name.toLowerCase()}s`,
    spec: Type.Object({ value }) as TObject,
    samples: [],
    owns: [deployment],
    children: ({ spec }) => [{ type: deployment, name: 'one', body: { spec: spec as JsonObject } }],
  });
