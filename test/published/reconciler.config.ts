import { defineConfig } from 'serverless-reconciler';
import { backup } from './kinds/backup.ts';
import { team } from './kinds/team.ts';
import { wiki } from './kinds/wiki.ts';

export default defineConfig({ kinds: [backup, team, wiki] });
