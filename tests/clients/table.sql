-- SPDX-License-Identifier: LGPL-2.1-or-later
CREATE TABLE a(n INTEGER PRIMARY KEY, k INTEGER, t TEXT);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 12000)
INSERT INTO a SELECT n, n * 7919 % 1000, 'row ' || n FROM c;
CREATE INDEX i ON a(k);
SELECT count(*) FROM a x JOIN a y ON x.k = y.k WHERE x.t < y.t;
