import { defineConfig } from 'serverless-reconciler';
import { backup } from './kinds/backup.ts';
import { wiki } from './kinds/wiki.ts';

export default defineConfig({ kinds: [backup, wiki] });
