import { endingType, writeVerbs } from '../../../shared/audit/filter.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import {
  groupResource,
  isCustom,
  isSameType,
  type ResourceType,
  type TypeName,
} from '../../../shared/kubernetes.ts';
import { methodGroup } from './log-names.ts';
import { methodPattern, ownedPattern, referredPattern, sinkTemplates } from './sink-filter.ts';

/**
 * Generates the input from which Terraform builds the sink filter of a cluster: types as audit entries name them, and
 * conditions. In the conditions, `%s` stands for values that depend on the installation.
 */
export function auditedTypes(kinds: readonly Kind[]) {
  const { exclusions, ...templates } = sinkTemplates();
  return {
    kinds: Object.fromEntries(
      kinds.map((kind) => [
        kind.kind,
        {
          resource: auditedType(kind, servedVersions(kind)),
          children: Object.fromEntries(
            kind.owns.map((type) => [groupResource(type), ownedType(type)]),
          ),
          refersTo: Object.fromEntries(
            kind.refersTo.map((type) => [groupResource(type), referredType(type)]),
          ),
        },
      ]),
    ),
    verbs: writeVerbs.join('|'),
    templates,
    exclusions: Object.fromEntries(exclusions.map(({ name, filter }) => [name, filter])),
  };
}

const servedVersions = ({ version, versions }: Kind): readonly string[] => [
  version,
  ...versions.filter(({ served }) => served).map(({ name }) => name),
];

/** For a custom type, includes writes to the status. */
const referredType = (type: ResourceType) => {
  const { methods } = auditedType(type, [type.version]);
  return {
    methods: isCustom(type) ? `${methods}|${methods}.status` : methods,
    pattern: referredPattern(type),
  };
};

/** For Jobs, includes writes to the status. */
const ownedType = (type: ResourceType) => {
  const { methods } = auditedType(type, [type.version]);
  const hasEnd = isSameType(type, endingType);
  return {
    methods: hasEnd ? `${methods}|${methods}.status` : methods,
    pattern: ownedPattern(type),
  };
};

const auditedType = (type: TypeName, versions: readonly string[]) => ({
  methods: versions
    .map((version) => `${methodGroup(type.group)}.${version}.${type.plural}`)
    .join('|'),
  pattern: methodPattern(type),
});
