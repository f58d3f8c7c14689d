import type { Definition } from '../kinds/definition/definition.ts';
import type { Resource } from '../resources/resource.ts';

/** Explains why a definition's names cannot be accepted: another resource of its group has one of them. */
export function nameConflict(
  { spec }: Definition,
  resources: readonly Resource[],
): { reason: string; message: string } | undefined {
  const { names, group } = spec;
  const others = resources.filter((one) => one.group === group && one.plural !== names.plural);
  const nouns = new Set(others.flatMap((one) => [one.plural, one.singular, ...one.shortNames]));
  const kinds = new Set(others.flatMap((one) => [one.kind, one.listKind]));
  const taken = (reason: string, name: string | undefined, used: ReadonlySet<string>) =>
    name !== undefined && used.has(name)
      ? [{ reason, message: `${JSON.stringify(name)} is already in use` }]
      : [];
  // The last of several conflicts is reported.
  return [
    ...taken('PluralConflict', names.plural, nouns),
    ...taken('SingularConflict', names.singular, nouns),
    ...(names.shortNames ?? []).flatMap((name) => taken('ShortNamesConflict', name, nouns)),
    ...taken('KindConflict', names.kind, kinds),
    ...taken('ListKindConflict', names.listKind, kinds),
  ].at(-1);
}
