import { defineConfig } from 'serverless-reconciler';
import { backup } from './kinds/backup.ts';

export default defineConfig({ kinds: [backup] });
