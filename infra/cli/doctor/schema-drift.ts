import { canonicalJson } from '../../../shared/canonical.ts';
import type { Json } from '../../../shared/kubernetes.ts';
import { truncate } from '../../../shared/printable.ts';

/** Where two definitions differ first. */
export interface Drift {
  /** As `versions[v1].schema.openAPIV3Schema.properties.spec`. */
  readonly path: string;
  readonly installed: unknown;
  readonly wanted: unknown;
  /** Changes what is stored, not only what is shown. */
  readonly isEssential: boolean;
}

interface Version {
  readonly name: string;
  readonly served?: boolean;
  readonly deprecated?: boolean;
  readonly schema?: unknown;
  readonly subresources?: unknown;
  readonly additionalPrinterColumns?: unknown;
}

/** The `spec` of a CustomResourceDefinition, as far as it is compared. */
export interface DefinitionSpec {
  readonly scope?: string;
  readonly names?: {
    readonly kind?: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions?: readonly Version[];
}

/**
 * How an installed definition differs from the generated one, what matters most first.
 *
 * Caveats: versions that only the installed definition has are ignored.
 */
export function driftOf(installed: DefinitionSpec, wanted: DefinitionSpec): Drift | undefined {
  const pairs = (wanted.versions ?? []).map((version) => ({
    path: `versions[${version.name}]`,
    wanted: version,
    installed: installed.versions?.find(({ name }) => name === version.name),
  }));
  const parts = (fields: readonly (keyof Version)[], isEssential: boolean): readonly Part[] =>
    pairs.flatMap((pair) =>
      fields.map((field) => ({
        path: `${pair.path}.${field}`,
        installed: pair.installed?.[field],
        wanted: pair.wanted[field],
        isEssential,
      })),
    );
  const unserved = pairs.find((pair) => pair.installed === undefined);
  if (unserved !== undefined)
    return { path: unserved.path, installed: undefined, wanted: 'a version', isEssential: true };
  const all: readonly Part[] = [
    { path: 'scope', installed: installed.scope, wanted: wanted.scope, isEssential: true },
    {
      path: 'names.kind',
      installed: installed.names?.kind,
      wanted: wanted.names?.kind,
      isEssential: true,
    },
    ...parts(['served', 'subresources', 'schema'], true),
    ...parts(['deprecated', 'additionalPrinterColumns'], false),
    ...(['shortNames', 'categories'] as const).map((field) => ({
      path: `names.${field}`,
      installed: installed.names?.[field],
      wanted: wanted.names?.[field],
      isEssential: false,
    })),
  ];
  return all.map(firstDifference).find((drift) => drift !== undefined);
}

type Part = Drift;

function firstDifference({ path, installed, wanted, isEssential }: Part): Drift | undefined {
  if (canonicalJson(installed as Json) === canonicalJson(wanted as Json)) return undefined;
  const inner = fieldsOf(installed, wanted).map(([name, one, other]) => ({
    path: Array.isArray(wanted) ? `${path}[${name}]` : `${path}.${name}`,
    installed: one,
    wanted: other,
    isEssential,
  }));
  const deeper = inner.map(firstDifference).find((drift) => drift !== undefined);
  return deeper ?? { path, installed, wanted, isEssential };
}

/** The fields of two objects, or the items of two lists; none where they are not of one shape. */
function fieldsOf(
  installed: unknown,
  wanted: unknown,
): readonly (readonly [string, unknown, unknown])[] {
  if (!isContainer(installed) || !isContainer(wanted)) return [];
  if (Array.isArray(installed) !== Array.isArray(wanted)) return [];
  const names = new Set([...Object.keys(wanted), ...Object.keys(installed)]);
  return [...names].map((name) => [name, installed[name], wanted[name]]);
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** `schema…replicas.maximum is 5, and should be 10` */
export function describeDrift({ path, installed, wanted }: Drift): string {
  if (installed === undefined) return `${path} is missing`;
  if (wanted === undefined) return `${path} is ${text(installed)}, and should be absent`;
  return `${path} is ${text(installed)}, and should be ${text(wanted)}`;
}

const text = (value: unknown): string => truncate(JSON.stringify(value), 60);
