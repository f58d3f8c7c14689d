import { dnsSubdomain } from '../objects/names.ts';
import { isMap, mapAt, setDefault } from '../objects/object.ts';
import { timestamp } from '../objects/time.ts';
import { specChanged } from '../resources/generations.ts';
import type { Strategy } from '../resources/strategy.ts';
import { CLEANUP, type Definition, isDeleting } from './definition.ts';
import { definitionErrors } from './definition-validation.ts';

/** Definitions: names filled in, structural schemas demanded, objects cleaned up on deletion. */
export const customResourceDefinition: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: false,
  isNewGeneration: specChanged,
  defaults: (object) => {
    const spec = mapAt(object, 'spec');
    const { names } = spec;
    if (isMap(names)) {
      setDefault(names, 'singular', String(names.kind ?? '').toLowerCase());
      setDefault(names, 'listKind', `${names.kind}List`);
    }
    setDefault(spec, 'conversion', { strategy: 'None' });
  },
  prepareCreate: (object) => {
    object.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storageVersions(object as Definition),
    };
  },
  prepareUpdate: (object, old) => {
    const definition = object as Definition;
    const stored = new Set((old as Definition).status?.storedVersions ?? []);
    for (const version of storageVersions(definition)) stored.add(version);
    definition.status = { ...definition.status, storedVersions: [...stored] };
  },
  validate: (object, old) => definitionErrors(object as Definition, old as Definition | undefined),
  // A definition is never gone at once: its objects go first.
  deletionFinalizers: [CLEANUP],
  marksItself: true,
  prepareDelete: (object, now) => markForCleanup(object as Definition, now),
};

const storageVersions = ({ spec }: Definition): string[] =>
  (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);

const markForCleanup = (definition: Definition, now: Date): void => {
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
};
