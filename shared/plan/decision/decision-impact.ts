import { type ChildChange, type Impact, impacts } from '../../kinds/impact.ts';
import { keyOf } from '../../kubernetes.ts';
import { type Difference, isOwnershipOnly } from '../drift/differences.ts';
import { join } from '../observed/owned-fields.ts';
import type { World } from '../observed/world.ts';
import type { Decision, Update } from './decision.ts';

export function impactOf(decision: Decision, world?: Pick<World, 'children'>): readonly Impact[] {
  const impactOfType = decision.type.impact ?? impactOfAnyType;
  const found = (change: ChildChange): readonly Impact[] => {
    const facts = world?.children.get(keyOf(decision.child))?.facts;
    const all = impactOfType({ ...change, facts });
    return impacts.filter((one) => all.includes(one));
  };
  switch (decision.verb) {
    case 'create':
      return found({ verb: 'create', fields: [], desired: decision.fields });
    case 'update': {
      if (decision.recreates) return found(deletion);
      const { differences } = decision;
      // Without managedFields, an apply sets all fields, and it is unknown which of them change.
      if (!differences || differences.some(({ path }) => path === 'metadata.managedFields'))
        return ['unknown'];
      const fields = differences.filter((one) => !isOwnershipOnly(one));
      // It is unknown what uses the old value of generated data.
      if (fields.some((one) => isReplaced(one, decision))) return ['unknown'];
      return fields.length === 0 ? [] : found({ verb: 'update', fields, desired: decision.fields });
    }
    case 'delete':
      return found(deletion);
    case 'withdraw':
      return ['close'];
    default:
      return [];
  }
}

const deletion: ChildChange = { verb: 'delete', fields: [], desired: {} };

const isReplaced = ({ path, from }: Difference, { generates = [] }: Update): boolean =>
  from !== undefined && generates.some((key) => path === join('data', key));

const impactOfAnyType = ({ verb, fields }: ChildChange): readonly Impact[] =>
  verb === 'delete' || fields.some(({ path }) => !path.startsWith('metadata.')) ? ['unknown'] : [];
