import {
  cronJob,
  defineKind,
  immutable,
  immutableOptional,
  job,
  nameAtMost,
  Type,
  withRules,
} from 'serverless-reconciler';
import { common, identifier, longestName, servers, statement, statements } from './job.ts';

const word = '^[a-z0-9_]+$';

/** A database, which is dropped with its resource. */
export const database = defineKind({
  group: 'k8s.mariadb.com',
  version: 'v1alpha1',
  kind: 'Database',
  plural: 'databases',
  shortNames: ['dmdb'],
  spec: Type.Object(
    {
      ...common,
      name: Type.Optional(Type.String({ pattern: identifier, maxLength: 64 })),
      characterSet: Type.String({ pattern: word, maxLength: 64, default: 'utf8' }),
      collate: Type.String({ pattern: word, maxLength: 64, default: 'utf8_general_ci' }),
    },
    withRules(immutable('mariaDbRef'), immutableOptional('name')),
  ),
  columns: [
    { name: 'CharSet', type: 'string', jsonPath: '.spec.characterSet' },
    { name: 'MariaDB', type: 'string', jsonPath: '.spec.mariaDbRef.name' },
  ],
  samples: [{ name: 'shop', spec: { mariaDbRef: { name: 'mariadb' } } }],
  rules: [nameAtMost(longestName)],
  owns: [job, cronJob],
  reads: servers,
  children: ({ name, spec, reads }) => {
    const options = `CHARACTER SET ${spec.characterSet} COLLATE ${spec.collate}`;
    const it = `\`${spec.name ?? name}\``;
    const sql = `CREATE DATABASE IF NOT EXISTS ${it} ${options}; ALTER DATABASE ${it} ${options}`;
    return statements(name, 'create', { sql, spec, ...reads });
  },
  finalize({ name, spec, reads }) {
    if (spec.cleanupPolicy === 'Skip' || !(reads.server ?? reads.external)) return [];
    const sql = `DROP DATABASE IF EXISTS \`${spec.name ?? name}\``;
    return [statement(name, 'drop', { sql, spec, isLast: true, ...reads })];
  },
});
