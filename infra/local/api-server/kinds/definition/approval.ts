import { type FieldError, invalid, required } from '../../errors/field-error.ts';
import type { Definition } from './definition.ts';

const annotation = 'api-approved.kubernetes.io';
const field = `metadata.annotations[${annotation}]`;
const needed = `protected groups must have approval annotation "${annotation}"`;
const more = 'see https://github.com/kubernetes/enhancements/pull/1111';

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Requires an approval of definitions in the groups of Kubernetes, unless an update leaves it as it was. */
export function approvalErrors(
  definition: Definition,
  old: Definition | undefined,
): readonly FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(definition.spec.group)) return [];
  const approval = approvalOf(definition);
  if (old !== undefined && approvalOf(old) === approval) return [];
  if (approval === 'missing') return [required(field, `${needed}, ${more}`)];
  if (approval !== 'invalid') return [];
  const forms = 'with either a URL or a reason starting with "unapproved"';
  const given = definition.metadata.annotations?.[annotation];
  return [invalid(field, given, `${needed} ${forms}, ${more}`)];
}

function approvalOf({ metadata: { annotations = {} } }: Definition): Approval {
  const given = annotations[annotation] ?? '';
  if (given === '') return 'missing';
  if (given.startsWith('unapproved')) return 'bypassed';
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(given) ? 'approved' : 'invalid';
}
