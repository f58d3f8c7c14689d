import { valueAt } from '../../json.ts';
import { type ChildChange, type Impact, impacts } from '../../kinds/impact.ts';
import { type Difference, isOwnershipOnly } from '../drift/differences.ts';
import { join } from '../observed/owned-fields.ts';
import type { Decision, Update } from './decision.ts';
import { isOfCompleted } from './reasons.ts';

export function impactOf(decision: Decision): readonly Impact[] {
  const { type } = decision;
  const found = (change: ChildChange): readonly Impact[] => {
    const all = new Set((type.impact ?? impactOfAnyType)(change));
    return impacts.filter((one) => all.has(one));
  };
  switch (decision.verb) {
    case 'create':
      return found({ verb: 'create', fields: [], desired: decision.fields });
    case 'update': {
      if (decision.recreates) return found({ verb: 'delete', fields: [], desired: {} });
      const { differences } = decision;
      // A difference at this path stands for lost managedFields: an apply sets all fields, and which change is unknown.
      if (!differences || differences.some(({ path }) => path === 'metadata.managedFields'))
        return ['unknown'];
      const fields = differences.filter((one) => changesValue(one, decision));
      // Whatever uses a generated value must be given the new one.
      if (fields.some((one) => isReplaced(one, decision))) return ['unknown'];
      return fields.length === 0 ? [] : found({ verb: 'update', fields, desired: decision.fields });
    }
    case 'delete':
      if (isOfCompleted(decision)) return [];
      return found({ verb: 'delete', fields: [], desired: {} });
    case 'withdraw':
      return ['close'];
    default:
      return [];
  }
}

/** Reports whether the value itself changes. Fields that are handed over keep theirs. */
const changesValue = (difference: Difference, { handOver }: Update): boolean =>
  !isOwnershipOnly(difference) &&
  !(difference.to === undefined && valueAt(handOver, ...difference.path.split('.')) !== undefined);

const isReplaced = ({ path, from }: Difference, { generates = [] }: Update): boolean =>
  from !== undefined && generates.some((key) => path === join('data', key));

/** The default for types without `impact`: creations and changes of metadata affect nothing. */
const impactOfAnyType = ({ verb, fields }: ChildChange): readonly Impact[] =>
  verb === 'delete' || fields.some(({ path }) => !path.startsWith('metadata.')) ? ['unknown'] : [];
