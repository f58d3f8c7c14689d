import { stripVTControlCharacters } from 'node:util';
import type { Key, Selection } from '../../../shared/cluster/cluster.ts';
import { isForbidden, messageOf } from '../../../shared/cluster/cluster-errors.ts';
import type { Credentials } from '../../../shared/cluster/credentials/credentials.ts';
import { connect } from '../../../shared/cluster/http/connection.ts';
import { isIdentified } from '../../../shared/cluster/http-list.ts';
import { collection, item, listQuery } from '../../../shared/cluster/paths.ts';
import { textAt, valueAt } from '../../../shared/json.ts';
import { pod } from '../../../shared/kinds/child-types/core.ts';
import { groupResource, type KubeObject, type ResourceType } from '../../../shared/kubernetes.ts';
import { truncate } from '../../../shared/printable.ts';
import type { LogView } from '../views.ts';

interface Page {
  readonly items: readonly KubeObject[];
  readonly isCut: boolean;
}

interface LogOf extends Key {
  readonly container: string;
}

/** A failed read returns nothing, and adds a line to `failures`. */
export interface BoundedReads {
  /** Reads one page of a list. */
  readonly list: (type: ResourceType, selection: Selection, most: number) => Promise<Page>;
  readonly log: (of: LogOf) => Promise<readonly LogView[]>;
  readonly failures: Set<string>;
}

const maxBytes = 8 * 1024 * 1024;
/** Time limit for all reads of a panel. */
const panelMs = 10_000;
const logLines = 40;
const logBytes = 32 * 1024;
const maxLine = 1_000;

/**
 * Returns a function that opens the reads of one panel, with the user's permissions.
 *
 * Guarantees: nothing is retried, except once after a 401. The size of each response and the time for all
 * reads are bounded. The error for a missing permission names the permission.
 */
export function openBoundedReads(credentials: Credentials): () => BoundedReads {
  const connection = connect(credentials, { bytes: maxBytes, ms: panelMs });
  return () => {
    const failures = new Set<string>();
    const signal = AbortSignal.timeout(panelMs);
    async function orElse<T>(permission: string, read: () => Promise<T>, otherwise: T): Promise<T> {
      try {
        return await read();
      } catch (error) {
        const text = messageOf(error);
        failures.add(
          isForbidden(error) ? `The permission to ${permission} is missing: ${text}` : text,
        );
        return otherwise;
      }
    }
    return {
      failures,
      list: (type, selection, most) => {
        const permission = `list ${groupResource(type)}${inNamespace(selection.namespace)}`;
        const path = `${collection(type, selection.namespace)}?${listQuery(selection, most, '')}`;
        const read = async (): Promise<Page> => {
          const { value } = await connection.send(
            { method: 'GET', path, what: permission },
            signal,
          );
          const items = valueAt(value, 'items');
          return {
            items: Array.isArray(items) ? items.filter(isIdentified) : [],
            isCut: textAt(value, 'metadata', 'continue') !== undefined,
          };
        };
        return orElse(permission, read, { items: [], isCut: false });
      },
      log: ({ container, ...key }) => {
        const permission = `get pods/log${inNamespace(key.namespace)}`;
        const read = async (): Promise<readonly LogView[]> => {
          const what = `read the log of ${container} in Pod ${key.name}`;
          const query = new URLSearchParams({
            container,
            tailLines: String(logLines),
            limitBytes: String(logBytes),
          });
          const path = `${item(pod, key, what)}/log?${query}`;
          const call = { method: 'GET', path, what, accept: '*/*', parse: String } as const;
          const { value } = await connection.send(call, signal);
          return [{ pod: key.name, container, lines: linesOf(String(value)) }];
        };
        return orElse(permission, read, []);
      },
    };
  };
}

const inNamespace = (namespace: string | undefined): string =>
  namespace ? ` in the namespace ${namespace}` : '';

const linesOf = (text: string): readonly string[] =>
  stripVTControlCharacters(text)
    .trimEnd()
    .split('\n')
    .slice(-logLines)
    .map((line) => truncate(line.replace(/\r$/, ''), maxLine));
