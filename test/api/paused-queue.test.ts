// A template that the platform pauses while messages of it are queued.
import { pausedQueue } from './paused-queue.suite.ts';

pausedQueue(2_000, 15_000);
