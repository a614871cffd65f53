-- SPDX-License-Identifier: LGPL-2.1-or-later
-- Work of several kinds, the same in each run.
CREATE TABLE a(n INTEGER PRIMARY KEY, k INTEGER, t TEXT);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 24000)
INSERT INTO a SELECT n, n * 7919 % 1000, 'row ' || (n * 31 % 977) FROM c;
CREATE INDEX i ON a(k);
CREATE TRIGGER u AFTER UPDATE ON a BEGIN
	UPDATE a SET k = new.k + 1 WHERE n = new.n + 1 AND new.k < 3;
END;
SELECT count(*) FROM a x JOIN a y ON x.k = y.k WHERE x.t < y.t;
SELECT count(*), sum(length(s)) FROM
	(SELECT group_concat(t, '+') s FROM a GROUP BY k ORDER BY max(t));
SELECT count(*) FROM a WHERE t LIKE '%9%3' OR t GLOB 'row *7?1*';
SELECT count(DISTINCT substr(t, 3)) FROM a;
UPDATE a SET k = k * 3 % 1000;
SELECT sum(r) FROM (SELECT rank() OVER (PARTITION BY k ORDER BY t, n) r FROM a);
SELECT sum(json_extract(json_object('t', t, 'k', json_array(k, n)), '$.k[1]')) FROM a;
DELETE FROM a WHERE n % 3 = 0;
SELECT count(*) FROM a x WHERE EXISTS (SELECT 1 FROM a y WHERE y.k = x.k AND y.n < x.n);
