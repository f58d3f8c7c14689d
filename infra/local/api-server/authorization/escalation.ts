import { isAdministrator, type User } from '../authentication/user.ts';
import { forbiddenRequest, notFound, type Subject } from '../errors/api-errors.ts';
import { goQuote } from '../go/print.ts';
import { isObject, type JsonObject, listAt, objectAt, objectsAt, textAt } from '../json/value.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import type { KubeObject } from '../objects/object.ts';
import { covers } from './covers.ts';
import { type Authorizer, rbacGroup } from './rbac.ts';

/** A write of a Role or a binding. */
export interface Granting {
  readonly user: User;
  /** The resource of the request, with the name in its path. */
  readonly subject: Subject;
  readonly namespace: string;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

/** Refuses to grant what the user does not have, unless the user may `escalate` the role or `bind` it. */
export function assertGrant(authorizer: Authorizer, granting: Granting): void {
  const { group, plural } = granting.subject;
  if (group !== rbacGroup || isAdministrator(granting.user)) return;
  if (plural === 'roles' || plural === 'clusterroles') assertRole(authorizer, granting);
  else if (plural.endsWith('bindings')) assertBinding(authorizer, granting);
}

function assertRole(authorizer: Authorizer, granting: Granting): void {
  const { user, subject, namespace, object, old } = granting;
  const { plural: resource, name = '' } = subject;
  if (allows(authorizer, { user, verb: 'escalate', resource, namespace, name })) return;
  if (old !== undefined && isSemanticallyEqual(withoutOwners(object), withoutOwners(old))) return;
  assertHeld(authorizer, granting, objectsAt(object, 'rules'));
  if (!isObject(object.aggregationRule)) return;
  const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
  const everything = [all, { nonResourceURLs: ['*'], verbs: ['*'] }];
  if (missing(authorizer, granting, everything).length === 0) return;
  const why = 'must have cluster-admin privileges to use an aggregationRule';
  throw forbiddenRequest(named(granting), why);
}

function assertBinding(authorizer: Authorizer, granting: Granting): void {
  const { user, subject, namespace, object, old } = granting;
  if (old !== undefined && isSemanticallyEqual(withoutOwners(object), withoutOwners(old))) return;
  const { kind, name } = objectAt(object, 'roleRef');
  const resource = kind === 'Role' ? 'roles' : 'clusterroles';
  const role = { resource, namespace, name: String(name) };
  if (allows(authorizer, { user, verb: 'bind', ...role })) return;
  const rules = authorizer.rulesOf(role);
  if (rules === undefined) throw notFound({ ...subject, name: String(name) });
  assertHeld(authorizer, granting, rules);
}

/** Leaves out what garbage collection changes. */
function withoutOwners({ metadata, ...object }: KubeObject): object {
  const { ownerReferences: _, finalizers: __, managedFields: ___, ...rest } = metadata;
  return { ...object, metadata: rest };
}

type Asked = Pick<Granting, 'user' | 'namespace'> & {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
};

const allows = (authorizer: Authorizer, asked: Asked): boolean =>
  authorizer.allows({ ...asked, group: rbacGroup, subresource: '' });

/** A refusal names the object, even if the request's path does not. */
const named = ({ subject, object }: Granting): Subject => ({
  ...subject,
  name: textAt(object.metadata, 'name'),
});

function assertHeld(
  authorizer: Authorizer,
  granting: Granting,
  rules: readonly JsonObject[],
): void {
  const lacking = missing(authorizer, granting, rules);
  if (lacking.length === 0) return;
  const { username, groups } = granting.user;
  const texts = [...new Set(compacted(lacking).map(textOf))].toSorted();
  const why = `user ${goQuote(username)} (groups=${goList(groups)}) is attempting to grant RBAC permissions not currently held:\n${texts.join('\n')}`;
  throw forbiddenRequest(named(granting), why);
}

/** A rule of one group, one resource, one verb and at most one name; or of one path and one verb. */
interface Part {
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly path?: string;
  readonly verb: string;
}

const missing = (
  authorizer: Authorizer,
  { user, namespace }: Granting,
  rules: readonly JsonObject[],
): readonly Part[] => {
  const own = authorizer.rulesFor(user, namespace);
  return rules.flatMap(partsOf).filter((part) => !own.some((rule) => holds(rule, part)));
};

function partsOf(rule: JsonObject): readonly Part[] {
  const texts = (field: string): readonly string[] => listAt(rule, field).map(String);
  const names = texts('resourceNames');
  return [
    ...texts('apiGroups').flatMap((group) =>
      texts('resources').flatMap((resource) =>
        texts('verbs').flatMap((verb): Part[] =>
          names.length === 0
            ? [{ group, resource, verb }]
            : names.map((name) => ({ group, resource, verb, name })),
        ),
      ),
    ),
    ...texts('nonResourceURLs').flatMap((path) => texts('verbs').map((verb) => ({ path, verb }))),
  ];
}

function holds(rule: JsonObject, { group, resource, path, verb, name = '' }: Part): boolean {
  if (path !== undefined) {
    const verbs = listAt(rule, 'verbs');
    const isCovered = listAt(rule, 'nonResourceURLs').some((own) => {
      const text = String(own);
      return text === path || (text.endsWith('*') && path.startsWith(text.replace(/\*+$/, '')));
    });
    return isCovered && (verbs.includes('*') || verbs.includes(verb));
  }
  const [plural = '', subresource = ''] = (resource ?? '').split('/');
  return covers(rule, { verb, group: group ?? '', resource: plural, subresource, name });
}

/** Combines the verbs of parts that are otherwise equal. */
function compacted(parts: readonly Part[]): readonly (readonly Part[])[] {
  const found = new Map<string, Part[]>();
  for (const part of parts) {
    const { verb: _, ...rest } = part;
    const key = JSON.stringify(rest);
    found.set(key, [...(found.get(key) ?? []), part]);
  }
  return [...found.values()];
}

function textOf(parts: readonly Part[]): string {
  const { group, resource, name, path }: Partial<Part> = parts[0] ?? {};
  const fields: Record<string, string | undefined> = {
    APIGroups: group,
    Resources: resource,
    NonResourceURLs: path,
    ResourceNames: name,
  };
  const shown = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}:${goList([value])}`],
  );
  return `{${[...shown, `Verbs:${goList(parts.map(({ verb }) => verb))}`].join(', ')}}`;
}

const goList = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;
