import { child, configMap, defineKind, type SelectedObject, Type } from 'serverless-reconciler';
import { folderKey, folderUidKey } from './labels.ts';
import { common, names, selected, targets, uid } from './selecting.ts';

const title = Type.Optional(Type.String({ pattern: '^[^/]+$', minLength: 1, maxLength: 189 }));

/** A folder, for every Grafana that its selector finds: each reads a ConfigMap of its own. */
export const folder = defineKind({
  ...names,
  kind: 'GrafanaFolder',
  plural: 'grafanafolders',
  spec: Type.Object({ ...common, uid, title }),
  samples: [
    {
      name: 'sales',
      spec: { instanceSelector: { matchLabels: { team: 'shop' } }, title: 'Sales', uid: 'sales' },
    },
  ],
  owns: [configMap],
  reads: { instances: selected },
  children({ name, namespace, spec, reads: { instances } }) {
    const data = {
      [folderKey]: spec.title ?? name,
      ...(spec.uid !== undefined && { [folderUidKey]: spec.uid }),
    };
    return targets({ name, namespace, spec }, 'folder', instances).map((one) =>
      child(configMap, { ...one, body: { data } }),
    );
  },
});

/** How a resource says in which folder something is: by its title, by a GrafanaFolder, or by the uid of one. */
export const folderFields = {
  folder: title,
  folderRef: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
  folderUID: uid,
};

interface WithFolder {
  readonly folder?: string;
  readonly folderRef?: string;
  readonly folderUID?: string;
}

export const folderCount = (spec: WithFolder): number =>
  [spec.folder, spec.folderRef, spec.folderUID].filter((one) => one !== undefined).length;

/** The folders of the namespace, if one has to be found. */
export const folders = {
  type: folder,
  selector: ({ spec }: { readonly spec: WithFolder }) =>
    (spec.folderRef ?? spec.folderUID) === undefined ? undefined : {},
};

interface Found {
  readonly title?: string | undefined;
  readonly uid?: string | undefined;
  readonly blocked?: { readonly reason: string; readonly message: string };
}

/** Returns the folder, or why something waits for it. */
export function folderOf(
  { folder: title, folderRef, folderUID }: WithFolder,
  all: readonly SelectedObject<typeof folder>[],
): Found {
  if ((folderRef ?? folderUID) === undefined) return { title };
  const found = all.find((one) =>
    folderRef === undefined ? one.spec.uid === folderUID : one.name === folderRef,
  );
  if (found !== undefined) return { title: found.spec.title ?? found.name, uid: found.spec.uid };
  const message =
    folderRef === undefined
      ? `no GrafanaFolder has the uid ${folderUID}`
      : `GrafanaFolder ${folderRef} does not exist`;
  return { blocked: { reason: 'FolderMissing', message } };
}
