import { isObject, objectAt, setDefault } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import { timestamp } from '../../objects/object.ts';
import { createdAtCell, printer } from '../../printing/printer.ts';
import type { Strategy } from '../../resources/strategy.ts';
import { specChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { cleanupFinalizer, type Definition, isDeleting } from './definition.ts';
import { definitionErrors } from './validation.ts';

/** Definitions: fills in names, requires structural schemas, deletes the objects with the definition. */
const customResourceDefinition: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: false,
  isNewGeneration: specChanged,
  defaults: (object) => {
    const spec = objectAt(object, 'spec');
    const { names } = spec;
    if (isObject(names)) {
      setDefault(names, 'singular', String(names.kind ?? '').toLowerCase());
      setDefault(names, 'listKind', `${names.kind}List`);
    }
    setDefault(spec, 'conversion', { strategy: 'None' });
  },
  prepareForCreate: (object) => {
    object.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storageVersions(object as Definition),
    };
  },
  prepareForUpdate: (object, old) => {
    const definition = object as Definition;
    const stored = new Set((old as Definition).status?.storedVersions ?? []);
    for (const version of storageVersions(definition)) stored.add(version);
    definition.status = { ...definition.status, storedVersions: [...stored] };
  },
  validate: (object, old) => definitionErrors(object as Definition, old as Definition | undefined),
  // A definition is never removed at once: its objects are deleted first.
  deletionFinalizers: [cleanupFinalizer],
  noGracePeriod: true,
  prepareForDelete: (object, now) => markForCleanup(object as Definition, now),
};

function storageVersions({ spec }: Definition): string[] {
  return (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}

function markForCleanup(definition: Definition, now: Date): void {
  if (isDeleting(definition)) return;
  const others = (definition.status?.conditions ?? []).filter(({ type }) => type !== 'Terminating');
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'InstanceDeletionPending',
    message:
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  definition.status = { ...definition.status, conditions: [...others, terminating] };
}

export const definitionKind: KindEntry = {
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  strategy: customResourceDefinition,
  printer: printer([createdAtCell]),
};
