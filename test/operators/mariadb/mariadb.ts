import {
  cronJob,
  defineKind,
  immutable,
  immutableOptional,
  job,
  nameAtMost,
  secret,
  Type,
  withRules,
} from 'serverless-reconciler';
import { columns, identifier, longestName, statement, statements } from './job.ts';
import { common, servers } from './server.ts';

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
  columns: columns(
    ['CharSet', '.spec.characterSet'],
    ['Collate', '.spec.collate'],
    ['MariaDB', '.spec.mariaDbRef.name'],
    ['Name', '.spec.name'],
  ),
  samples: [
    { name: 'shop', spec: { mariaDbRef: { name: 'mariadb' } } },
    {
      name: 'orders',
      spec: { mariaDbRef: { name: 'shared', namespace: 'platform' }, retryInterval: '5s' },
    },
  ],
  rules: [nameAtMost(longestName)],
  owns: [job, cronJob, secret],
  reads: servers,
  children: ({ reads, ...own }) => {
    const { characterSet, collate, name = own.name } = own.spec;
    const options = `CHARACTER SET ${characterSet} COLLATE ${collate}`;
    const it = `\`${name}\``;
    const sql = `CREATE DATABASE IF NOT EXISTS ${it} ${options}; ALTER DATABASE ${it} ${options}`;
    return statements('create', { kind: 'database', ...own, ...reads, sql });
  },
  finalize({ reads, ...own }) {
    const { cleanupPolicy, name = own.name } = own.spec;
    if (cleanupPolicy === 'Skip' || !(reads.server ?? reads.external)) return [];
    const sql = `DROP DATABASE IF EXISTS \`${name}\``;
    return statement('drop', { kind: 'database', ...own, ...reads, sql, isLast: true });
  },
});
