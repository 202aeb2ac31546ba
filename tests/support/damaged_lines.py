"""Lines that no CSV file should have, and bytes that make lines of their own."""

from hypothesis import strategies as st

MARK = b'Zyzzyva'  # what no message may quote

DAMAGED = {
    'trailing comma': b'33,1.25,7,2,f,red,True,2024-01-31,Zyzzyva,',
    'many surplus cells': b'33,1.25,7,2,f,red,True,2024-01-31,Zyzzyva' + b',9' * 50,
    'missing cells': b'33,Zyzzyva',
    'nothing but commas': b',' * 8,
    'a word among numbers': b'Zyzzyva,Zyzzyva,Zyzzyva,Zyzzyva,f,red,True,2024-01-31,8',
    'unclosed quotation mark': b'33,1.25,7,2,f,"Zyzzyva,True,2024-01-31,8',
    'unclosed at the start': b'"Zyzzyva,1.25,7,2,f,red,True,2024-01-31,8',
    'one quotation mark': b'"',
    'three quotation marks': b'33,"""Zyzzyva,7,2,f,red,True,2024-01-31,8',
    'quotation mark inside': b'33,1.25,7,2,f,re"d Zyzzyva,True,2024-01-31,8',
    'text after a quotation mark': b'33,1.25,7,2,f,"re"d Zyzzyva,True,2024-01-31,8',
    'NUL': b'33,1.25,7,2,f,Zyzzyva\x00,True,2024-01-31,8',
    'nothing but NUL': b'\x00' * 9,
    'not UTF-8': b'33,1.25,7,2,f,\xff\xfe Zyzzyva,True,2024-01-31,8',
    'half a character': b'33,1.25,7,2,f,\xe2\x82,True,2024-01-31,Zyzzyva',
    'half a surrogate': b'33,1.25,7,2,f,\xed\xa0\x80,True,2024-01-31,Zyzzyva',
    'not UTF-8 in quotation marks': b'33,1.25,7,2,"\xff","Zyz,zyva",True,2024-01-31,8',
    'carriage return inside': b'33,1.25,7,2,f,Zyz\rzyva,True,2024-01-31,8',
    'carriage return in quotation marks': b'33,1.25,7,2,"f",Zyz\rzyva,True,2024-01-31,8',
    'an escape character': b'33,1.25,7,2,f,Zyzzyva\\,True,2024-01-31,8\\',
    'a comment': b'# Zyzzyva',
    'end of file': b'33,1.25,7,2,f,Zyzzyva\x1a,True,2024-01-31,8',
    'a byte order mark': b'\xef\xbb\xbf33,1.25,7,2,f,Zyzzyva,True,2024-01-31,8',
    'a cell beyond every limit': b'33,1.25,7,2,f,"' + b'Zyzzyva' * 30_000 + b'",True,2024-01-31,8',
    'numbers beyond every limit': b'1e999,-1e999,' + b'9' * 400 + b',2,f,red,True,2024-01-31,8',
    'not numbers': b'nan,inf,-inf,NaN,f,red,True,2024-01-31,8',
    'dates beyond every limit': b'33,1.25,7,2,f,red,True,infinity,8',
    'the year 300000': b'33,1.25,7,2,f,red,True,300000-01-01,8',
    'the header again': b'age,pay,size,children,sex,colour,member,day,name',
}

# Anything that is a line of its own.
LINES = st.binary(max_size=60).map(lambda line: line.replace(b'\n', b',') or b',')
SPICED = st.lists(
    st.sampled_from([b'"', b',', b'\r', b'\x00', b'\xff', b'\xe2\x82', b'f', b'1', b' ', b'\\']),
    min_size=1,
    max_size=30,
).map(lambda parts: b','.join([b'x', b''.join(parts)]))
